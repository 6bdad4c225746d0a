"""The tables that `toolgen audit` prints. Cells are cut to the width of their columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from toolgen.cli.terminal import counted, inline
from toolgen.compiler.short_text import cut

MAX_TOOLS: Final = 20
MAX_PROBLEMS: Final = 15
MAX_ADVICE: Final = 10
MAX_PLACES_SHOWN: Final = 5
MAX_CELL: Final = 44
MIN_CELL: Final = 9


def lines(found: dict[str, Any], width: int | None = None) -> Iterator[str]:
    """Yield the lines to print for the findings of an audit (`report.report`).

    The tables are at most as wide as a terminal of `width` columns, if their cells can be cut that far.
    """
    if found["interrupted"]:
        yield "interrupted: this report contains only the calls read so far\n"
    yield _summary(found)
    yield from _tools(found["tools"], width)
    yield from _problems(found["tools"], width)
    yield from _advice(found["descriptions"])
    yield from _rest(found)


def _summary(found: dict[str, Any]) -> str:
    calls, invalid, repaired = found["calls"], found["invalid"], found["repaired"]
    seen = f"{counted(calls, 'call')} of {counted(len(found['tools']), 'tool')}"
    text = f"{seen}, {invalid:,} invalid ({_share(invalid, calls)})"
    if invalid:
        text += f"; repair makes {repaired:,} of them valid ({_share(repaired, invalid)})"
    return text


def _tools(tools: Sequence[dict[str, Any]], width: int | None) -> Iterator[str]:
    rows = [
        [
            t["name"],
            f"{t['calls']:,}",
            f"{t['invalid']:,}",
            _share(t["invalid"], t["calls"]),
            f"{t['repaired']:,}",
        ]
        for t in tools[:MAX_TOOLS]
    ]
    yield from _table(("tool", "calls", "invalid", "share", "repaired"), rows, len(tools), "<>>>>", width)


def problems_of(tools: Sequence[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """Return all broken constraints with the names of their tools, starting with the one that most calls
    broke.
    """
    every = [(tool["name"], problem) for tool in tools for problem in tool["problems"]]
    return sorted(every, key=lambda each: (-each[1]["calls"], each[0], each[1]["pointer"]))


def _problems(tools: Sequence[dict[str, Any]], width: int | None) -> Iterator[str]:
    every = problems_of(tools)
    rows = [
        [f"{p['calls']:,}", name, p["field"] or "(arguments)", p["constraint"], _sent(p)]
        for name, p in every[:MAX_PROBLEMS]
    ]
    yield from _table(("calls", "tool", "field", "breaks", "sent"), rows, len(every), "><<<<", width)


def _sent(problem: dict[str, Any]) -> str:
    texts = [f"{each['value']} x{each['count']:,}" for each in problem["sent"]]
    shown = ", ".join(texts[:2])
    if len(texts) > 2 or not problem["sent_complete"]:
        return f"{shown}, …"
    return shown


def _advice(advice: Sequence[dict[str, Any]]) -> Iterator[str]:
    if advice:
        yield "\ndescriptions to improve, and the number of calls that each would help:"
    for each in advice[:MAX_ADVICE]:
        yield inline(f"{each['calls']:>7,}  {each['tool']}: {each['reason']}")
    if len(advice) > MAX_ADVICE:
        yield f"         and {len(advice) - MAX_ADVICE} more"


def _rest(found: dict[str, Any]) -> Iterator[str]:
    unknown, malformed = found["unknown_tools"], found["malformed"]
    if unknown["calls"]:
        names = ", ".join(
            f"{each['name']} x{each['count']:,}" for each in unknown["names"][:MAX_PLACES_SHOWN]
        )
        more = ", …" if len(unknown["names"]) > MAX_PLACES_SHOWN else ""
        yield ""
        yield inline(f"{counted(unknown['calls'], 'call')} of unknown tools: {names}{more}")
    if malformed["records"]:
        yield f"\n{counted(malformed['records'], 'record')} that could not be read:"
        yield from (
            inline(f"  {each['place']}: {each['reason']}") for each in malformed["first"][:MAX_PLACES_SHOWN]
        )


def _table(
    head: Sequence[str], rows: Sequence[Sequence[str]], total: int, aligned: str, width: int | None
) -> Iterator[str]:
    if not rows:
        return
    cells = [list(head), *([cut(inline(cell), MAX_CELL) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    while width is not None and sum(widths) + 2 * len(widths) - 2 > width and max(widths) > MIN_CELL:
        widths[widths.index(max(widths))] -= 1
    yield ""
    for row in cells:
        padded = (f"{cut(cell, w):{side}{w}}" for cell, side, w in zip(row, aligned, widths, strict=True))
        yield "  ".join(padded).rstrip()
    if total > len(rows):
        yield f"and {total - len(rows)} more"


def _share(part: int, whole: int) -> str:
    if whole:
        return f"{100 * part / whole:.1f} %"
    return "0 %"
