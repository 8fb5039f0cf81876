"""Writes evidence-like JSON as json.dump(indent=2) does: evidence_like.py BYTES > FILE"""
import json
import random
import sys

random.seed(20240601)
size = int(sys.argv[1])
ranks = 4
record = {
    "project": "27",
    "strategy": "ddp",
    "workload": {
        "model": "gpt2_124m", "width": 768, "layers": 12, "micro_batch": 32,
        "gradient_accumulation": 1, "seq_len": 1024, "dtype": "bf16", "warmup": 2, "repeats": 5,
        "world_size": ranks, "num_parameters": 124475904,
    },
    "hardware": "GPU not named in source",
    "metrics": {
        "max_step_time_ms": 287.0, "max_peak_memory_mb": 16661.0, "tokens_per_s_proxy": 456000.0,
        "step_times_ms": [[] for _ in range(ranks)], "losses": [],
    },
    "failure": None,
    "evidence_level": "real_multi_gpu_zero_stage",
    "decision": "stage_completed",
}
text = json.dumps(record, indent=2)
while len(text) < size:
    for times in record["metrics"]["step_times_ms"]:
        times.append(round(random.uniform(280, 300), 3))
    record["metrics"]["losses"].append(random.uniform(2, 11))
    if size < 100000 or len(record["metrics"]["losses"]) % 1000 == 0:
        text = json.dumps(record, indent=2)
print(text)
