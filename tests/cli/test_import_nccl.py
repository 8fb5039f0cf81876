#!/usr/bin/env python3
"""`import` of nccl-tests' output in its many forms: test_import_nccl.py PROGRAM [TEST...]"""
import json
import subprocess
import sys
import unittest

PROGRAM = None

HEADER = "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 4194304 step: 2(factor) warmup iters: 5 " \
         "iters: 20 agg iters: 1 validation: 1 graph: 0\n#\n# Using devices\n"
TITLES = """#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
"""
ENDING = "# Out of bounds values : {wrong} {verdict}\n# Avg bus bandwidth    : {average:g} \n#\n" \
         "# Collective test concluded: {program}\n"


def devices(count, hosts=1, name="NVIDIA H100 80GB HBM3"):
    each = count // hosts
    return "".join(f"#  Rank {rank:2} Group  0 Pid {1000 + rank:6} on     node-{rank // each} device "
                   f"{rank % each:2} [0000:18:00] {name}\n" for rank in range(count))


def row(size, busbw, factor, redop="sum", root=-1, wrong="0", wrong_in="0"):
    """A row whose numbers agree: algbw = busbw / factor = size / time."""
    algbw = busbw / factor
    time = size / algbw / 1e3
    cells = f"{time:9.1f} {algbw:7.2f} {busbw:7.2f}"
    return f"{size:12} {size // 4:13} {'float':>9} {redop:>7} {root:7}{cells} {wrong:>6}{cells} {wrong_in:>6}\n"


def run_text(ranks=8, program="all_reduce_perf", factor=1.75, rows=None, ending=True, hosts=1, **row_options):
    sizes = [1 << 20, 2 << 20, 4 << 20]
    rows = rows or "".join(row(size, 100.0 + i, factor, **row_options) for i, size in enumerate(sizes))
    end = ENDING.format(wrong=0, verdict="OK", average=101.0, program=program) if ending else ""
    return HEADER + devices(ranks, hosts) + TITLES + rows + end


class Nccl(unittest.TestCase):
    def run_program(self, text, *arguments):
        data = text if isinstance(text, bytes) else text.encode()
        return subprocess.run([PROGRAM, "import", *arguments, "-"], input=data, capture_output=True)

    def imported(self, text, *arguments):
        run = self.run_program(text, *arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def warnings(self, document):
        return "\n".join(warning["message"] for warning in document["import"].get("warnings", []))

    def test_links_are_in_the_contract_s_units(self):
        document = self.imported(run_text())
        self.assertEqual(self.warnings(document), "")
        link = document["calibration"]["links"][2]
        self.assertEqual((link["collective"], link["payload_bytes"]), ("all_reduce", 4 << 20))
        self.assertEqual(link["bus_gb_per_s"], 102)
        # 4 MiB at 102 GB/s of bus are 4194304 / (102e9 / 1.75) s; 0.05 us is what the table rounds.
        self.assertAlmostEqual(link["ms"], 4194304 * 1.75 / 102e6, delta=0.00005)
        self.assertEqual(document["import"]["values"]["bus_over_alg"], 1.75)

    def test_the_version_stands_before_the_run_that_has_it(self):
        first = "# nccl-tests version 2.17.2 nccl-headers={0} nccl-library={0}\n# Collective test starting: all_reduce_perf\n"
        run = self.run_program(first.format(22803) + run_text() + first.format(22901) + run_text())
        documents = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual([document["environment"]["nccl"] for document in documents], ["2.28.3", "2.29.1"])

    def test_every_collective_is_named_and_has_its_factor(self):
        part = 7 / 8
        for program, collective, factor, redop, root in [
                ("reduce_scatter_perf", "reduce_scatter", part, "sum", -1),
                ("all_gather_perf", "all_gather", part, "none", -1),
                ("alltoall_perf", "all_to_all", part, "none", -1),
                ("sendrecv_perf", "send_receive", 1, "sum", -1),
                ("broadcast_perf", "broadcast", 1, "none", 0),
                ("reduce_perf", "reduce", 1, "sum", 3),
                ("gather_perf", "gather", part, "none", 0),
                ("scatter_perf", "scatter", part, "none", 0)]:
            with self.subTest(program):
                document = self.imported(run_text(program=program, factor=factor, redop=redop, root=root))
                self.assertEqual(self.warnings(document), "")
                for link in document["calibration"]["links"]:
                    self.assertEqual(link["collective"], collective)
                    self.assertEqual(link.get("root"), root if root >= 0 else None)
                    self.assertEqual(link.get("reduction"), redop if redop != "none" else None)

    def test_hosts_are_numbers(self):
        document = self.imported(run_text(ranks=16, hosts=2, factor=1.875))
        self.assertEqual(document["hardware"], {"device": "NVIDIA H100 80GB HBM3", "device_count": 16,
                                                "hosts": 2, "ranks_per_host": [8, 8]})
        self.assertNotIn("node-", json.dumps(document))

    def test_old_tables_have_other_names_and_columns(self):
        rows = "     4194304       1048576     float     sum     73.4   57.14  100.00  5e-07     73.4   57.14  100.00  5e-07\n"
        text = HEADER.replace("# Using devices\n", "# Using devices\n#   Rank  0 Pid 1 on host device  0 [0x06] Tesla V100\n")
        titles = "#                                                     out-of-place                       in-place\n" \
                 "#       size         count      type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n" \
                 "#        (B)    (elements)                       (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
        document = self.imported(text.replace("device  0 [0x06] Tesla V100\n", "device  0 [0x06] Tesla V100\n" + "".join(
            f"#   Rank  {i} Pid {i} on host device  {i} [0x0{i}] Tesla V100\n" for i in range(1, 8))) + titles + rows
            + "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 100\n")
        self.assertEqual(document["workload"]["world_size"], 8)
        self.assertNotIn("failure", document)  # an error of rounding is no wrong value
        link = document["calibration"]["links"][0]
        self.assertEqual((link["collective"], link["ms"]), ("all_reduce", 0.0734))
        self.assertIn("can only be those of all_reduce_perf", self.warnings(document))

    def test_the_oldest_tables_tell_milliseconds(self):
        text = "# Using devices\n" + "".join(f"#   Device  {i} ->  {i} [0x0{i}] GeForce GTX TITAN X\n" for i in range(4)) + \
            "\n#                                                 out-of-place                    in-place\n" \
            "#      bytes             N    type      op     time  algbw  busbw      res     time  algbw  busbw      res\n" \
            "    10000000      10000000    char     sum    1.628   6.14   9.21    0e+00    1.932   5.18   7.77    0e+00\n"
        document = self.imported(text)
        self.assertEqual(document["workload"]["world_size"], 4)
        self.assertEqual(document["calibration"]["links"][0]["ms"], 1.628)
        self.assertIn("the run did not end", self.warnings(document))
        self.assertNotIn("do not agree", self.warnings(document))

    def test_what_was_not_checked_is_not_wrong(self):
        document = self.imported(run_text(wrong="N/A", wrong_in="N/A"))
        self.assertEqual(len(document["calibration"]["links"]), 3)
        self.assertEqual(self.warnings(document), "")

    def test_wrong_values_fail_the_test_and_give_no_link(self):
        text = run_text(rows=row(1 << 20, 100.0, 1.75) + row(2 << 20, 102.0, 1.75, wrong="17")).replace(
            "values : 0 OK", "values : 17 FAILED")
        document = self.imported(text)
        self.assertEqual(len(document["calibration"]["links"]), 1)
        self.assertEqual(document["failure"]["kind"], "wrong_values")
        self.assertIn("17 values came out wrong", self.warnings(document))

    def test_lines_printed_into_a_row_do_not_break_it(self):
        whole = row(4 << 20, 102.0, 1.75)
        noise = "node-3:4711:4711 [3] NCCL INFO comm 0x55d8 rank 3 nranks 8 - Init COMPLETE\n"
        for place in (52, 84):  # a row is printed in three parts
            with self.subTest(place):
                rows = row(1 << 20, 100.0, 1.75) + row(2 << 20, 101.0, 1.75) + \
                    whole[:place] + noise + whole[place:]
                document = self.imported(run_text(rows=rows))
                self.assertEqual(self.imported(run_text())["calibration"]["links"],
                                 document["calibration"]["links"])

    def test_a_row_that_was_cut_is_not_read(self):
        text = run_text(ending=False)
        document = self.imported(text[:-20])  # in the middle of the row's second half
        self.assertEqual(len(document["calibration"]["links"]), 3)
        self.assertNotIn("in_place_ms", document["calibration"]["links"][2])
        self.assertIn("the run did not end", self.warnings(document))
        document = self.imported(text[:-60])
        self.assertEqual(len(document["calibration"]["links"]), 2)
        self.assertIn("not complete", self.warnings(document))

    def test_several_runs_make_several_documents(self):
        commands = "$ ./build/all_reduce_perf -g 8\n", "$ ./build/all_gather_perf -g 8\n"
        first = run_text().replace("# Collective test concluded: all_reduce_perf\n", "")
        second = run_text(program="", factor=7 / 8, redop="none", wrong="N/A", wrong_in="N/A").replace(
            "# Collective test concluded: \n", "")
        run = self.run_program(commands[0] + first + commands[1] + second)
        self.assertEqual(run.returncode, 0, run.stderr)
        documents = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual([document["calibration"]["links"][0]["collective"] for document in documents],
                         ["all_reduce", "all_gather"])

    def test_a_run_without_its_name_has_one_only_where_no_other_fits(self):
        text = run_text(program="x").replace("# Collective test concluded: x\n", "")
        self.assertEqual(self.imported(text)["calibration"]["links"][0]["collective"], "all_reduce")
        text = run_text(program="x", factor=7 / 8, redop="none", wrong="N/A", wrong_in="N/A").replace(
            "# Collective test concluded: x\n", "")
        document = self.imported(text)  # an all-gather or an all-to-all
        self.assertNotIn("collective", document["calibration"]["links"][0])
        self.assertIn("do not tell it", self.warnings(document))

    def test_the_number_of_ranks_is_checked_by_the_factor(self):
        document = self.imported(run_text(ranks=4))  # 1.75 is that of 8
        self.assertIn("busbw is 1.75 times algbw", self.warnings(document))

    def test_without_devices_the_ranks_are_asked_for(self):
        text = run_text().replace(devices(8), "")
        document = self.imported(text)
        self.assertNotIn("world_size", document["workload"])
        self.assertEqual([asked["field"] for asked in document["import"]["asked"]],
                         ["workload.world_size"])
        document = self.imported(text, "--set", "workload.world_size=8")
        self.assertEqual(document["import"]["values"]["ranks"], 8)
        self.assertNotIn("asked", document["import"])

    def test_a_missing_row_shows_in_the_average(self):
        lines = run_text().splitlines(True)
        gone = next(i for i, line in enumerate(lines) if line.startswith("     2097152") or " 2097152 " in line
                    and not line.startswith("#"))
        document = self.imported("".join(lines[:gone] + lines[gone + 2:]))
        self.assertIn("rows may be missing", self.warnings(document))

    def test_a_small_message_s_bandwidth_is_computed_not_0(self):
        small = "           8             2     float     sum      -1    20.00    0.00    0.00      0    20.00    0.00    0.00      0\n"
        document = self.imported(run_text(rows=small))
        self.assertAlmostEqual(document["calibration"]["links"][0]["bus_gb_per_s"], 8 * 1.75 / 20e3, places=12)

    def test_sizes_with_units_are_powers_of_1024(self):
        document = self.imported(run_text(rows=row(1 << 20, 100.0, 1.75).replace("1048576", "     1M", 1)))
        self.assertEqual(document["calibration"]["links"][0]["payload_bytes"], 1 << 20)

    def test_times_of_the_cpu_are_left_out(self):
        document = self.imported(run_text().replace("  time ", "cputime", 2))
        self.assertNotIn("ms", document["calibration"]["links"][0])
        self.assertIn("on the CPU", self.warnings(document))

    def test_an_error_is_a_failure(self):
        text = run_text(ending=False) + "node-1: Test NCCL failure all_reduce.cu:44 'unhandled system error'\n"
        document = self.imported(text)
        self.assertEqual(document["failure"]["kind"], "communication")
        self.assertEqual(document["failure"]["reason"], "Test NCCL failure all_reduce.cu:44 'unhandled system error'")

    def test_the_end_of_an_output_is_recognised(self):
        text = row(1 << 20, 100.0, 1.875) + ENDING.format(wrong=2, verdict="FAILED", average=100, program="all_reduce_perf")
        document = self.imported(text, "--set", "workload.world_size=16")
        self.assertEqual(document["calibration"]["links"][0]["bus_gb_per_s"], 100)
        self.assertEqual(document["failure"]["kind"], "wrong_values")

    def test_rows_without_a_header_are_known_by_their_type(self):
        rows = "".join(line + "\n" for line in run_text().splitlines() if not line.startswith("#") or ":" in line)
        document = self.imported("12 34 foo bar 5 6 7 8 9\n" + rows, "--from", "nccl-tests", "--set", "workload.world_size=8")
        self.assertEqual(document["calibration"]["links"], self.imported(run_text())["calibration"]["links"])

    def test_errors_have_kinds_and_averages_limits(self):
        for words, kind in (("Test CUDA failure common.cu:303 'out of memory'", "out_of_memory"), ("Test timeout (20s) x.cu:1", "timeout")):
            self.assertEqual(self.imported(run_text(ending=False) + f"node-1: {words}\n")["failure"]["kind"], kind)
        self.assertIn("below what was demanded", self.warnings(self.imported(run_text().replace("101 \n", "101 FAILED\n"))))

    def test_columns_beside_the_known_ones_are_passed_over(self):
        titles = TITLES.replace("#wrong     time", "#wrong   i_min   i_max   i_p99   i_cv%     time").replace(
            "busbw #wrong\n", "busbw #wrong   i_min   i_max   i_p99   i_cv%           timestamp\n")
        rows = ""
        for i, size in enumerate([1 << 20, 2 << 20, 4 << 20]):
            line = row(size, 100.0 + i, 1.75).rstrip("\n")
            rows += line[:84] + "    1.00    9.00    8.00    1.00" + line[84:] + \
                "    1.00    9.00    8.00    1.00  2025-03-14 10:00:0" + str(i) + "\n"
        document = self.imported(run_text(rows=rows).replace(TITLES, titles))
        self.assertEqual(document["calibration"]["links"], self.imported(run_text())["calibration"]["links"])

    def test_prefixes_line_ends_and_colours_are_no_content(self):
        plain = run_text()
        expected = self.imported(plain)["calibration"]
        for change in (lambda line: "[1,0]<stdout>:" + line, lambda line: " 0: " + line, lambda line: line[:-1] + "\r\n",
                       lambda line: "\033[32m" + line[:-1] + "\033[0m\n", lambda line: line.replace("\n", "\n\n")):
            text = "".join(map(change, plain.splitlines(True)))
            self.assertEqual(self.imported(text)["calibration"], expected)
        self.assertEqual(self.imported("\ufeff" + plain)["calibration"], expected)

    def test_other_encodings_and_kinds_are_said(self):
        for data, words in ((run_text().encode("utf-16"), b"UTF-16"), (b"", b"empty"), (b" \n", b"empty"),
                            (b"\x7fELF\0\0\0", b"a program")):
            run = self.run_program(data)
            self.assertEqual(run.returncode, 3)
            self.assertIn(words, run.stderr)

    # ---- JSON ----

    def json(self, **changes):
        results = [{"size": 1 << size, "count": 1, "type": "float", "redop": "sum", "root": "    -1",
                    "out_of_place": {"time": (1 << size) * 1.75 / 100e3, "alg_bw": 100 / 1.75, "bus_bw": 100.0, "nwrong": 0.0},
                    "in_place": {"time": (1 << size) * 1.75 / 100e3, "alg_bw": 100 / 1.75, "bus_bw": 100.0, "nwrong": None}}
                   for size in (20, 21)]
        device = {"rank": 0, "group": 0, "pid": 1, "hostname": "node-a", "device": 0, "device_info": "NVIDIA H100"}
        document = {"version": 3, "args": ["./build/all_reduce_perf", "--token=secret"], "env": ["TOKEN=secret"],
                    "nccl_version": 2804, "config": {"nthreads": 2, "ngpus": 4, "devices": [device]},
                    "results": results, "out_of_bounds": {"count": 0, "okay": "true"},
                    "average_bus_bandwidth": {"bandwidth": 100.0, "okay": "unchecked"}, "errors": [""]}
        document.update(changes)
        return document

    def test_json_ranks_are_processes_times_threads_times_devices(self):
        document = self.imported(json.dumps(self.json()))
        self.assertEqual(document["workload"]["world_size"], 8)
        self.assertEqual(self.warnings(document), "")
        self.assertEqual(document["environment"]["nccl"], "2.8.4")
        self.assertNotIn("secret", json.dumps(document))
        device = self.json()["config"]["devices"][0]
        several = self.json(config={"nthreads": 1, "ngpus": 1,
                                    "devices": [dict(device, rank=rank) for rank in range(8)]})
        self.assertEqual(self.imported(json.dumps(several))["workload"]["world_size"], 8)
        several["config"] = {"nthreads": 1, "ngpus": 4, "devices": [device, dict(device, rank=4)]}
        self.assertEqual(self.imported(json.dumps(several))["workload"]["world_size"], 8)

    def test_json_absent_halves_and_texts_for_numbers(self):
        results = self.json()["results"]
        results[0]["out_of_place"] = None
        results[1]["in_place"]["bus_bw"] = "nan"
        document = self.imported(json.dumps(self.json(results=results)))
        links = document["calibration"]["links"]
        self.assertEqual(links[0]["placement"], "in_place")
        self.assertNotIn("in_place_bus_gb_per_s", links[1])

    def test_json_errors_fail_the_test(self):
        document = self.imported(json.dumps(self.json(errors=["remote process exited"])))
        self.assertEqual(document["failure"]["reason"], "remote process exited")
        document = self.imported(json.dumps(self.json(errors=["node-a: Test NCCL failure all_reduce.cu:44 'system error'"])))
        self.assertEqual(document["failure"]["reason"], "Test NCCL failure all_reduce.cu:44 'system error'")

    def test_json_that_was_cut_is_not_read(self):
        run = self.run_program(json.dumps(self.json())[:-200])
        self.assertEqual(run.returncode, 3)
        self.assertIn(b"killed while writing", run.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
