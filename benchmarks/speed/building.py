"""Builds: cold, in one process and in two, unchanged, after a change, and of many more tools."""

from __future__ import annotations

import json
import shutil
import sys
from itertools import count

from packages import Workshop, build_command
from rows import Row, exponent, figure
from timing import Effort, best_in_turn, peak_memory, processor_seconds, run, seconds_of

TOOLS = 1_000
GROWTH = (300, 1_000, 3_000)
MANY = 10_000

# The same schemas one by one, as in a program that uses the library; its import is not counted.
_LIBRARY = """
import json, sys, time
from datamodel_code_generator import DataModelType, InputFileType, generate
tools = json.load(open(sys.argv[1]))["tools"]
start = time.perf_counter()
for tool in tools:
    generate(
        json.dumps(tool["inputSchema"]), input_file_type=InputFileType.JsonSchema, class_name="P",
        output_model_type=DataModelType.PydanticV2BaseModel, field_constraints=True, formatters=[],
    )
print(time.perf_counter() - start)
"""


def build(workshop: Workshop, effort: Effort) -> list[Row]:
    """Measure a cold build in one process against the library's models alone, and builds after it."""
    specs = workshop.specs(TOOLS)
    changed = workshop.folder / "changed.json"
    out = workshop.folder / "rebuilt"
    tools = json.loads(specs.read_text("utf-8"))
    workshop.package(TOOLS)  # this checks its verdicts
    turns = count()

    def cold() -> float:
        shutil.rmtree(out, ignore_errors=True)
        return seconds_of(build_command(specs, out), workshop.env, workshop.folder)

    def library() -> float:
        command = [sys.executable, "-c", _LIBRARY, str(specs)]
        return float(run(command, workshop.env, workshop.folder))

    def unchanged() -> float:
        return seconds_of(build_command(specs, out), workshop.env, workshop.folder)

    def one_changed() -> float:
        tools["tools"][5]["description"] = f"changed {next(turns)}"
        changed.write_text(json.dumps(tools), "utf-8")
        return seconds_of(build_command(changed, out), workshop.env, workshop.folder)

    sides = {
        "cold": cold,
        "library": library,
        "unchanged": unchanged,
        "one": one_changed,
    }
    best = best_in_turn(sides, effort.builds)
    against = "cold build"
    return [
        Row(
            f"cold build, {TOOLS:,} tools",
            "datamodel-code-generator as a library",
            best["cold"] / best["library"],
            0.6,
            f"{best['cold']:.1f} s",
        ),
        Row("rebuild without changes", against, best["unchanged"] / best["cold"], 0.05),
        Row(f"rebuild after a change of one of {TOOLS:,} tools", against, best["one"] / best["cold"], 0.1),
    ]


def growth(workshop: Workshop, effort: Effort) -> list[Row]:
    """Measure how the time and memory of a cold build grow with the number of tools: 1 is linear."""
    out = workshop.folder / "grown"

    def command(tools: int) -> list[str]:
        shutil.rmtree(out, ignore_errors=True)
        return build_command(workshop.specs(tools), out)

    seconds, peaks = [], []
    for tools in GROWTH:
        runs = range(effort.builds)
        seconds.append(min(seconds_of(command(tools), workshop.env, workshop.folder) for _ in runs))
        peaks.append(peak_memory(command(tools), workshop.env, workshop.folder))
    what = f"growth of a cold build's {{}}, {GROWTH[0]:,} to {GROWTH[-1]:,} tools (exponent)"
    against = "number of tools"
    times = f"for {GROWTH[-1] / GROWTH[0]:g} times the tools"
    ends = f"{figure(seconds[-1] / seconds[0])} times the time {times}"
    return [
        Row(what.format("time"), against, exponent(GROWTH, seconds), 1.1, ends),
        Row(
            what.format("peak memory"),
            against,
            exponent(GROWTH, peaks),
            1.1,
            f"{figure(peaks[-1] / peaks[0])} times the memory {times}",
        ),
    ]


def many(workshop: Workshop, effort: Effort) -> list[Row]:
    """Measure a cold build of many tools against one of fewer."""
    out = workshop.folder / "many"
    seconds, processors = {}, {}
    for tools in (TOOLS, MANY):
        command = build_command(workshop.specs(tools), out)
        times = []
        for _ in range(effort.builds if tools == TOOLS else 1):
            shutil.rmtree(out, ignore_errors=True)
            before = processor_seconds()
            times.append(seconds_of(command, workshop.env, workshop.folder))
            processors[tools] = processor_seconds() - before
        seconds[tools] = min(times)
    shutil.rmtree(out)
    note = f"{seconds[MANY]:.0f} s; {figure(processors[MANY] / processors[TOOLS])} times the processor time"
    ratio = seconds[MANY] / seconds[TOOLS] / (MANY / TOOLS)
    return [Row(f"cold build, {MANY:,} tools: time for each tool", f"{TOOLS:,} tools", ratio, 1.1, note)]
