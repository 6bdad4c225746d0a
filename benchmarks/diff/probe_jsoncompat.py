"""Print jsoncompat's verdict on each pair of standard input (JSON): safe, breaking, or its error; and its time."""

from __future__ import annotations

import json
import sys
import time

import jsoncompat

verdicts = []
started = time.perf_counter()
for old, new in json.load(sys.stdin):
    try:
        safe = jsoncompat.check_compat(json.dumps(old), json.dumps(new), "deserializer")
        verdicts.append("safe" if safe else "breaking")
    except Exception as error:  # any error is its answer
        verdicts.append(f"error: {error}")
print(json.dumps({"seconds": time.perf_counter() - started, "verdicts": verdicts}))
