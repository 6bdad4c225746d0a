"""The same problem at the same schema place of many array items, as one line: `rows[0-29].qty`."""

from __future__ import annotations

from collections.abc import Sequence

from toolgen_runtime.facts import Path
from toolgen_runtime.fieldpath import ANY_ITEM
from toolgen_runtime.hints.findings import Finding
from toolgen_runtime.hints.text import clean
from toolgen_runtime.issues import field_of

MAX_SPANS = 6
MAX_FIELD = 200
"""Characters of a field; keys of a payload can be long."""


def collapse(findings: list[Finding], max_missing: int) -> list[Finding]:
    """The findings with those of many items, and those of many missing fields of one object, in one line each."""
    findings = _missing_together(findings, max_missing)
    if len(findings) > 1 and any([_has_index(f.path) for f in findings]):
        findings = _items_together(findings)
    return findings


def _has_index(path: Path) -> bool:
    return any([isinstance(step, int) for step in path])


def _missing_together(findings: list[Finding], limit: int) -> list[Finding]:
    """Where a nested object lacks more than `limit` fields, one line for the object."""
    if sum([f.missing and len(f.path) > 1 for f in findings]) <= limit:
        return findings
    groups: dict[Path, list[Finding]] = {}
    for f in findings:
        if f.missing and len(f.path) > 1 and f.rename_from is None and not f.tag:
            groups.setdefault(f.path[:-1], []).append(f)
    many = {path: group for path, group in groups.items() if len(group) > limit}
    if not many:
        return findings
    out: list[Finding] = []
    for f in findings:
        group = many.get(f.path[:-1], ()) if f.missing else ()
        if not group or f not in group:
            out.append(f)
        elif f is group[0]:
            f.siblings, f.path = group, f.path[:-1]
            out.append(f)
    return out


def _items_together(findings: list[Finding]) -> list[Finding]:
    groups: dict[object, list[Finding]] = {}
    for f in findings:
        groups.setdefault(_likeness(f), []).append(f)
    if len(groups) == len(findings):
        return findings
    out: list[Finding] = []
    for group in groups.values():
        out += _joined(group)
    return out


def _likeness(f: Finding) -> object:
    path = tuple(ANY_ITEM if isinstance(step, int) else step for step in f.path)
    return (
        path,
        tuple(i.constraint for i in f.issues),
        f.rename_from,
        f.did_you_mean,
        f.choice,
        len(f.siblings),
    )


def _joined(group: list[Finding]) -> list[Finding]:
    """One finding if the places are every combination of their indices, else one per last index."""
    first = group[0]
    if len(group) == 1:
        return group
    if _is_grid([f.path for f in group]):
        first.group = group
        return [first]
    at = max(i for i, step in enumerate(first.path) if isinstance(step, int))
    rows: dict[Path, list[Finding]] = {}
    for f in group:
        rows.setdefault(f.path[:at], []).append(f)
    for row in rows.values():
        row[0].group = row if len(row) > 1 else ()
    return [row[0] for row in rows.values()]


def _is_grid(paths: list[Path]) -> bool:
    size = 1
    for steps in zip(*paths, strict=True):
        size *= len(set(steps))
    return size == len(paths)


def field_text(paths: Sequence[Path]) -> str:
    """The dotted field of one path, or of many that differ in their indices only; one line, bounded."""
    if len(paths) == 1:
        path = paths[0]
        if len(path) == 1 and type(path[0]) is str and path[0].isidentifier() and len(path[0]) <= MAX_FIELD:
            return path[0] if path[0].isascii() else clean(path[0])
        text = field_of(path[:MAX_FIELD])
    else:
        text = "".join(
            _spans(sorted({s for s in steps if isinstance(s, int)}))
            if isinstance(steps[0], int)
            else field_of((steps[0],))
            if i == 0 or steps[0].startswith("[")
            else _joined_name(steps[0])
            for i, steps in enumerate(zip(*paths, strict=True))
        )
    if not text.isprintable():
        text = clean(text)
    return text if len(text) <= MAX_FIELD else text[: MAX_FIELD - 1] + "…"


def _joined_name(name: str) -> str:
    text = field_of((name,))
    return text if text.startswith("[") else "." + text


def _spans(indices: list[int]) -> str:
    """`[0-29]`, `[0,4,7-9]`; after `MAX_SPANS` pieces, `…`."""
    spans: list[list[int]] = []
    for index in indices:
        if spans and index == spans[-1][1] + 1:
            spans[-1][1] = index
        else:
            spans.append([index, index])
    texts = [str(a) if a == b else f"{a}-{b}" for a, b in spans[:MAX_SPANS]]
    return f"[{','.join(texts)}{',…' if len(spans) > MAX_SPANS else ''}]"
