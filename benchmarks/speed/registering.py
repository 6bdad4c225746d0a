"""`Registry.register`: the time to register a thousand tools, which should not depend on their schemas."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

from packages import Workshop, tools_and_tests
from rows import Row, figure
from samples import WrongVerdict
from timing import Effort, Work, ratio

from toolgen_runtime import Registry

TOOLS = 1_000


def register(workshop: Workshop, effort: Effort) -> list[Row]:
    """Measure registering, and the first fact of every tool, against reading the schemas.

    Raises:
        WrongVerdict: registering loaded a tool, or a fact is wrong.
    """
    toolset = _toolset(workshop.package(TOOLS))
    texts = [json.dumps(tool["inputSchema"]) for tool, _ in tools_and_tests(TOOLS)]
    registry = Registry()
    registry.register(toolset)
    if any(name.startswith("pkg.") for name in sys.modules):
        raise WrongVerdict("Registry.register loaded a tool's module: it should cost a name only")
    for tool, _ in tools_and_tests(TOOLS):
        keys = registry.required_property_keys(tool["name"])
        if set(keys) != set(tool["inputSchema"].get("required", ())):
            raise WrongVerdict(f"{tool['name']}: the required keys are not {keys}")
    loads = Work("for text in texts: loads(text)", {"texts": texts, "loads": json.loads})
    names = {"Registry": Registry, "toolset": toolset}
    registering = Work("Registry().register(toolset)", names)
    facts = Work(
        "registry = Registry(); registry.register(toolset)\n"
        "for name in toolset: registry.required_property_keys(name)",
        names,
    )
    note = f"{figure(ratio(facts, loads, effort))} if the facts of every tool are also loaded"
    seen = ratio(registering, loads, effort)
    return [Row(f"`Registry.register` of {TOOLS:,} tools", "`json.loads` of their schemas", seen, 3.0, note)]


def _toolset(home: Path) -> Any:
    sys.path.insert(0, str(home))
    try:
        return importlib.import_module("pkg").toolset
    finally:
        sys.path.remove(str(home))
