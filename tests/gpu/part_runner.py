"""Parts of a check that do not spoil each other: each has a time limit, its output goes to one log, what
it comes to is a row of a table."""
import os
import re
import signal
import subprocess
import time

GRACE_S = 5  # for a command that is interrupted, to end what it started
LINE = 480  # characters of a row's words; the log has the rest
PASSED, FAILED, SKIPPED = "passed", "FAILED", "not run"


class PartFailed(Exception):
    """What a part says when it did not pass."""


def some(faults):
    """A line for many faults: the first, and how many more there are; the log has them all."""
    return faults[0] + (f" (and {len(faults) - 1} more)" if len(faults) > 1 else "")


class PartSkipped(Exception):
    """Why a part had nothing to do here."""


def interrupt(child):
    """Ends a command and what it started, which gets a moment to clean up; what it had said."""
    os.killpg(child.pid, signal.SIGTERM)
    try:
        return child.communicate(timeout=GRACE_S)[0]
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        return child.communicate()[0]


class PartRunner:
    """Runs parts one after another until `budget_s` seconds are over."""

    def __init__(self, log, budget_s, environment):
        self.log = log
        self.end = time.monotonic() + budget_s
        self.environment = environment
        self.rows = []
        self.deadline = self.end

    def part(self, name, limit_s, work, required=True, needs=()):
        """`work()` returns a line; parts in `needs` must have passed."""
        began = time.monotonic()
        interrupted = False
        self.deadline = min(began + limit_s, self.end)
        self.note(f"=== {name} (at most {self.deadline - began:.0f} s)")
        missing = [row["name"] for row in self.rows if row["name"] in needs and row["result"] != PASSED]
        try:
            if missing:
                raise PartSkipped(f"{missing[0]} did not pass")
            if self.deadline - began < 1:
                raise PartSkipped("no time was left")
            result, line = PASSED, work() or ""
        except PartSkipped as skipped:
            result, line = SKIPPED, str(skipped)
        except PartFailed as failed:
            result, line = FAILED, str(failed)
        except subprocess.TimeoutExpired:
            result, line = FAILED, f"took longer than {time.monotonic() - began:.0f} s"
        except KeyboardInterrupt:
            interrupted, result, line = True, FAILED, "interrupted"
        except (OSError, KeyError, ValueError, TypeError) as error:
            result, line = FAILED, f"{type(error).__name__}: {error}"
        line = " ".join(line.split())
        took = time.monotonic() - began
        self.note(f"--- {name}: {result} after {took:.1f} s. {line}")
        line = line if len(line) <= LINE else line[:LINE] + " ..."
        self.rows.append({"name": name, "result": result, "required": required, "line": line, "s": took})
        print(f"{name}: {result} ({took:.0f} s) {line}".rstrip(), flush=True)
        if interrupted:
            raise KeyboardInterrupt

    def note(self, text):
        self.log.write(text + "\n")
        self.log.flush()

    def run(self, *command, limit_s=None, expect=(0,), environment=None):
        """Runs a command until the part's deadline; its output goes to the log and is returned."""
        words = [str(word) for word in command]
        self.note("$ " + " ".join(words))
        left = self.deadline - time.monotonic()
        left = min(left, limit_s) if limit_s else left
        child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                 errors="replace", env={**self.environment, **(environment or {})},
                                 stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            said = child.communicate(timeout=max(left, 0.1))[0]
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            self.note(child.communicate()[0] or "")
            raise
        except KeyboardInterrupt:  # it has a session of its own, and no Ctrl-C reaches it
            self.note(interrupt(child))
            raise
        self.note(said)
        if child.returncode not in expect:
            lines = said.strip().splitlines() or [""]
            telling = next((line for line in lines if re.search(r"\berror\b|^missing |is not built", line)), lines[-1])
            raise PartFailed(f"{os.path.basename(words[0])} ended with {child.returncode}: {telling.strip()[:240]}")
        return said

    def table(self):
        lines = [f"{row['name']:<{max(len(r['name']) for r in self.rows)}}  {row['result']:<7}"
                 f" {row['s']:5.0f} s  {'' if row['required'] else '(not required) '}{row['line']}".rstrip()
                 for row in self.rows]
        return "\n".join(lines)

    def passed(self):
        return all(row["result"] == PASSED for row in self.rows if row["required"])
