#!/usr/bin/env python3
"""Computes every number of an evidence file that follows from its other fields, as templates/README.md
describes them, and says which differ. The model's sizes are counted here on their own.

evidence_sums.py EVIDENCE...
"""
import json
import statistics
import sys

MIB = 1 << 20
STATE = {"fp32": (4, 4, 8), "bf16": (2, 2, 12)}  # bytes of parameter, gradient, optimizer
SHARDED = {"ddp": (0, 0, 0), "zero1": (0, 0, 1), "zero2": (0, 1, 1), "zero3": (1, 1, 1),
           "fsdp_full_shard": (1, 1, 1)}


class Sums:
    def __init__(self, document):
        self.document, self.faults = document, []
        self.work, self.metrics = document["workload"], document["metrics"]
        self.ranks = self.work["world_size"]

    def same(self, what, found, expected, tolerance=1e-9):
        """Decimal digits and a sum in another order cost less than 1e-9."""
        if found is None or abs(found - expected) > tolerance * max(abs(found), abs(expected)):
            self.faults.append(f"{what} is {found!r}, not {expected!r}")

    def at_most(self, what, found, limit):
        if found > limit:
            self.faults.append(f"{what} is {found!r}, above {limit!r}")

    def parameters(self):
        w = self.work
        c = w["width"]
        blocks = w["layers"] * (12 * c * c + 13 * c)
        return (w["vocab"] + w["seq_len"]) * c + blocks + 2 * c

    def bus_factor(self, collective):
        return (2 if collective == "all_reduce" else 1) * (self.ranks - 1) / self.ranks

    def check_workload(self):
        w = self.work
        self.same("parameters", w["parameters"], self.parameters())
        self.same("global_batch", w["global_batch"],
                  self.ranks * w["micro_batch"] * w["gradient_accumulation"])

    def check_times(self):
        times = self.metrics["step_times_ms"]
        slowest = [max(step) for step in zip(*times)]  # of the steps that all ranks completed
        step = statistics.median(slowest)
        self.same("step_time_ms", self.metrics["step_time_ms"], step)
        w = self.work
        rate = w["global_batch"] * w["seq_len"] / step * 1e3
        self.same("throughput", self.metrics["throughput"], rate)
        c, length = w["width"], w["seq_len"]
        flops = (6 * (self.parameters() - length * c)  # embeddings out, the head in
                 + 12 * w["layers"] * c * length)
        tflops = flops * rate / self.ranks / 1e12
        self.same("achieved_tflops", self.metrics["achieved_tflops"], tflops)
        if self.metrics["utilisation"] is not None:
            self.same("utilisation", self.metrics["utilisation"],
                      tflops / self.document["calibration"]["matrix_product_tflops"])
        for row in self.document["rounds"]:
            part = slowest[row["first_step"]:row["first_step"] + row["steps"]]
            if part:
                self.same("a round's step_time_ms", row["step_time_ms"], statistics.median(part))
        self.check_ratios(times)

    def check_ratios(self, times):
        for name, key in (("communication_ratio", "exposed_times_ms"),
                          ("communication_in_flight_ratio", "in_flight_times_ms")):
            parts = self.document["timing"][key]
            shares = [[part / time for part, time in zip(*rows)] for rows in zip(parts, times)]
            median = statistics.median(max(step) for step in zip(*shares))
            self.same(name, self.metrics[name], median if self.ranks > 1 else 0)
        for row, total, exposed in zip(self.document["timing"]["per_rank"], times,
                                       self.document["timing"]["exposed_times_ms"]):
            if total:
                self.same("step_ms", row["step_ms"], statistics.mean(total))
                self.same("exposed_ms", row["exposed_ms"], statistics.mean(exposed))
                self.same("exposed_by_phase_ms", sum(row["exposed_by_phase_ms"].values()),
                          row["exposed_ms"])
                parts = ("forward", "backward", "optimizer", "exposed", "other")
                self.same("a step's parts", sum(row[f"{part}_ms"] for part in parts),
                          row["step_ms"])
        bare = self.document["timing"]["without_collectives"]
        if bare:
            self.same("without_collectives", bare["step_time_ms"],
                      statistics.median(bare["step_times_ms"]))

        self.check_overlap()

    def check_overlap(self):
        communication = self.document["communication"]
        overlap, efficiency = communication["overlap"], communication["overlap_efficiency"]
        if overlap["blocking_ms"] is None:
            if efficiency is not None or overlap["exposed_ms"] is not None:
                self.faults.append("an overlap without a pass that it was measured against")
            return
        self.same("overlap_efficiency", efficiency,
                  1 - overlap["exposed_ms"] / overlap["blocking_ms"])
        self.same("overlap.exposed_ms", overlap["exposed_ms"],
                  max(row["exposed_ms"] for row in self.document["timing"]["per_rank"])
                  if len(self.document["rounds"]) == 1 else overlap["exposed_ms"])

    def check_bandwidths(self):
        rows = [(row, row.get("in_flight_ms"))
                for row in self.document["communication"]["collectives"]]
        rows += [(row, row["ms"]) for row in self.document["calibration"]["links"]]
        for row, ms in rows:
            if ms and self.ranks > 1:
                self.same(f"{row['collective']}'s bandwidth", row["bus_gb_per_s"],
                          row["payload_bytes"] * self.bus_factor(row["collective"]) / ms / 1e6)

    def check_ledger(self):
        ledger, strategy = self.document["ledger"], self.document["strategy"]
        state = STATE["fp32" if strategy == "fsdp_full_shard" else self.work["dtype"]]
        names = ("parameters", "gradients", "optimizer_state")
        for name, size, shard in zip(names, state, SHARDED[strategy]):
            share = size * self.parameters() / (self.ranks if shard else 1)
            if abs(ledger[f"{name}_bytes"] - share) > size:  # a share need not be whole
                self.faults.append(f"{name}_bytes is {ledger[f'{name}_bytes']}, not {share}")
        self.same("resident_bytes", ledger["resident_bytes"],
                  sum(ledger[f"{name}_bytes"] for name in names), 0)
        self.resident = (ledger["resident_bytes"] + ledger["persistent_parameters_bytes"] +
                         ledger["padding_bytes"])
        self.same("predicted_peak_bytes", ledger["predicted_peak_bytes"],
                  self.resident + sum(ledger["temporary"].values()), 0)

    def check_memory(self):
        peaks, saved = [], []
        for rank in self.document["memory"]["per_rank"]:
            if "arena_bytes" not in rank:
                return  # it never came so far
            for phase in rank["phases"]:
                live = phase["by_category"]
                self.same(f"{phase['phase']}'s peak", phase["peak_bytes"], sum(live.values()), 0)
                for category, amount in live.items():
                    self.at_most(f"{phase['phase']}'s {category}", amount,
                                 rank["category_peaks"][category])
                self.at_most("a peak", phase["peak_bytes"], rank["arena_bytes"])
            of = {phase["phase"]: phase["peak_bytes"] for phase in rank["phases"]}
            saved += [of.pop(name) for name in list(of) if name.startswith("checkpoint")]
            if not of:
                return  # a rank of the others had not begun when one failed
            peaks.append(max(of.values()))
            if "step_times_ms" in self.metrics:
                self.same("resident", sum(rank["resident"].values()), self.resident, 0)
        if "peak_memory_mb" in self.metrics:
            self.same("peak_memory_mb", self.metrics["peak_memory_mb"], max(peaks) / MIB)
            for found, peak in zip(self.metrics["peak_memory_mb_per_rank"], peaks):
                self.same("peak_memory_mb_per_rank", found, peak / MIB)
        if "checkpoint_peak_memory_mb" in self.metrics:
            self.same("checkpoint_peak_memory_mb", self.metrics["checkpoint_peak_memory_mb"],
                      max(saved) / MIB)


def faults_of(document):
    sums = Sums(document)
    sums.check_workload()
    sums.check_ledger()
    if document["memory"]["per_rank"]:
        sums.check_memory()
    if "step_times_ms" in document["metrics"]:
        sums.check_times()
        sums.check_bandwidths()
    return sums.faults


def main():
    failed = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            faults = faults_of(json.load(file))
        failed += len(faults)
        print(*(f"{path}: {fault}" for fault in faults), sep="\n", end="\n" if faults else "")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
