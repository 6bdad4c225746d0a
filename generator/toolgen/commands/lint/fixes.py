"""Make safe fixes in JSON files. A fix never changes the result of a check or any other text in the file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from toolgen.commands.lint.texts import is_hidden
from toolgen.compiler.containment.containment import mean_same
from toolgen.compiler.diagnostics import Diagnostic
from toolgen.compiler.schema.lower import LowerOptions, lower
from toolgen.compiler.specs.formats.json_items import Item, after_space, items_of
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen_runtime.schema.pointer import PointerError, parse, resolve

FIXABLE: Final = frozenset(("hidden-characters", "unreachable-branch", "unused-ignore"))
"""Codes for which some findings have a safe fix."""
_CHARACTER: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\"\\]", re.DOTALL
)
"""Matches one character of a JSON string as it is written."""


@dataclass(frozen=True, slots=True)
class _Edit:
    finding: Diagnostic
    pointer: str
    removes: bool
    """Whether the whole item is removed; otherwise only its invisible characters are."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """The fixed text of a file, and the findings that were fixed."""

    text: str
    findings: tuple[Diagnostic, ...]


def fix(
    text: str, specs: Sequence[ToolSpec], findings: Iterable[Diagnostic], options: LowerOptions
) -> Fixed | None:
    """Make the fixes in the text of a JSON file.

    Return None if there is nothing to fix or the text is not JSON.

    A tool's edits are left out unless its schema provably accepts the same payloads afterwards.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    edits = [edit for finding in findings for edit in _edits(finding, document)]
    for spec in specs:
        own = [edit for edit in edits if edit.finding.tool == spec.name and _is_in(edit, spec)]
        if own:
            after = resolve(json.loads(_edited(text, own)), parse(spec.schema_place.pointer))
            if not _same(spec, replace(spec, schema=after), options):
                edits = [edit for edit in edits if edit not in own]
    if not edits:
        return None
    return Fixed(_edited(text, edits), tuple(dict.fromkeys(edit.finding for edit in edits)))


def _edits(finding: Diagnostic, document: Any) -> Iterator[_Edit]:
    pointer = finding.place.pointer
    value = resolve(document, parse(pointer))
    above, _, last = pointer.rpartition("/")
    if finding.code == "hidden-characters":
        if isinstance(value, str):
            texts = [""]
        else:
            texts = ["/description", "/title", "/annotations/title"]
        for below in texts:
            if _hides(document, pointer + below):
                yield _Edit(finding, pointer + below, removes=False)
    elif finding.code == "unreachable-branch" and above.endswith("/anyOf"):
        if value in resolve(document, parse(above))[: int(last)]:
            yield _Edit(finding, pointer, removes=True)
    elif finding.code == "unused-ignore":
        alone = isinstance(listed := resolve(document, parse(above)), list) and len(listed) == 1
        yield _Edit(finding, above if alone else pointer, removes=True)


def _hides(document: Any, pointer: str) -> bool:
    try:
        text = resolve(document, parse(pointer))
    except PointerError:
        return False
    return isinstance(text, str) and any(map(is_hidden, text))


def _is_in(edit: _Edit, spec: ToolSpec) -> bool:
    return f"{edit.pointer}/".startswith(f"{spec.schema_place.pointer}/")


def _same(spec: ToolSpec, other: ToolSpec, options: LowerOptions) -> bool:
    before, after = lower(spec, options).root, lower(other, options).root
    return before is not None and after is not None and mean_same(before, after)


def _edited(text: str, edits: Iterable[_Edit]) -> str:
    spans: dict[tuple[int, int], str] = {}
    removed: dict[str, set[str]] = {}
    for edit in edits:
        above, _, last = edit.pointer.rpartition("/")
        if edit.removes:
            removed.setdefault(above, set()).add(*parse(f"/{last}"))
        else:
            item = next(item for item in _items(text, above) if item.name == parse(f"/{last}")[0])
            spans[item.value, item.end] = _CHARACTER.sub(_if_shown, text[item.value : item.end])
    for pointer, names in removed.items():
        spans.update(dict.fromkeys(_removals(_items(text, pointer), names), ""))
    for (start, end), new in sorted(spans.items(), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _items(text: str, pointer: str) -> list[Item]:
    at = after_space(text, 0)
    for step in parse(pointer):
        at = {item.name: item.value for item in items_of(text, at)}[step]
    return items_of(text, at)


def _removals(items: Sequence[Item], names: set[str]) -> Iterator[tuple[int, int]]:
    """Yield the spans of text to cut, each with the comma before it (at the start of a list, the comma after it)."""
    kept_before = False
    for index, item in enumerate(items):
        if item.name not in names:
            kept_before = True
        elif kept_before:
            yield items[index - 1].end, item.end
        else:
            yield item.start, items[index + 1].start if index + 1 < len(items) else item.end


def _if_shown(found: re.Match[str]) -> str:
    if is_hidden(json.loads(f'"{found[0]}"')):
        return ""
    return found[0]
