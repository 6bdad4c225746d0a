"""Statistics and tables of measurements."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from error_texts import Own
from measure import Measurement
from wrong_calls import Case, Outcome, holds_answer, is_same, judge, read_call

RESAMPLES = 2000
BASE = "toolgen"


@dataclass(frozen=True)
class Row:
    """One measurement with its case."""

    case: Case
    own: Own
    name: str
    text: str
    measured: Measurement


Part = Callable[[Row], bool]
PARTS: dict[str, Part] = {
    "all": lambda _: True,
    "edits certain": lambda row: row.own.edits == "certain",
    "an edit is a guess": lambda row: row.own.edits == "guess",
    "no edits": lambda row: row.own.edits == "none",
    "`repair` mends it": lambda row: row.own.is_repaired,
    "`repair` does not": lambda row: not row.own.is_repaired,
    "text holds the answer": lambda row: holds_answer(row.case, row.text),
    "text does not": lambda row: not holds_answer(row.case, row.text),
}
"""Parts of the cases: toolgen's hint decides about the edits (none: no edits that give a valid call), `repair=True`
about repair, each text about the answer."""


def interval(values: Sequence[float], seed: int = 1) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a mean."""
    if not values:
        return (0.0, 0.0)
    rnd = random.Random(seed)
    means = sorted(statistics.fmean(rnd.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return (means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1])


def outcome(row: Row) -> Outcome:
    """Return what greedy decoding gave."""
    return judge(row.case, read_call(row.measured.written))


def report(model: str, rows: Sequence[Row]) -> str:
    """Return all tables of one model."""
    sections = {
        "The next call": decoded(rows),
        "What the model prefers": preferred(rows),
        "The intended call, by part of the cases": by_part(rows, _intended),
        "Another valid call, by part of the cases": by_part(rows, _other_valid),
        "Log-odds of toolgen's text minus those of the other text, by part of the cases": differences(rows),
        "The intended call, by kind of mistake": by_kind(rows),
        "Guesses that mislead": misled(rows),
    }
    return f"# {model}\n" + "".join(f"\n## {title}\n\n{text}\n" for title, text in sections.items())


def names(rows: Sequence[Row]) -> list[str]:
    """Return the names of the texts, toolgen's first."""
    return sorted(dict.fromkeys(row.name for row in rows), key=lambda name: name != BASE)


def decoded(rows: Sequence[Row]) -> str:
    """Return the table of greedy decoding."""
    lines = [
        "| text | cases | tokens (median) | valid | the intended call | the same wrong call | another valid call |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name in names(rows):
        own = [row for row in rows if row.name == name]
        found = [outcome(row) for row in own]
        hits = [float(each == "intended") for each in found]
        low, high = interval(hits)
        valid = sum(each in ("intended", "other valid") for each in found)
        lines.append(
            f"| {name} | {len(own)} | {statistics.median(row.measured.tokens for row in own):.0f} "
            f"| {_share(valid, len(own))} | {_share(int(sum(hits)), len(own))} [{low:.0%}, {high:.0%}] "
            f"| {_share(found.count('same'), len(own))} | {found.count('other valid')} |"
        )
    return "\n".join(lines)


def preferred(rows: Sequence[Row]) -> str:
    """Return the table of log-odds, and the differences to toolgen's text on the same cases."""
    base = {row.case.id: row.measured.log_odds for row in rows if row.name == BASE}
    lines = [
        "| text | log-odds of the intended call (mean) | preferred | compared | toolgen better | toolgen minus it |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name in names(rows):
        own = {row.case.id: row.measured.log_odds for row in rows if row.name == name}
        low, high = interval(list(own.values()))
        line = (
            f"| {name} | {statistics.fmean(own.values()):+.2f} [{low:+.2f}, {high:+.2f}] "
            f"| {_share(sum(odds > 0 for odds in own.values()), len(own))} |"
        )
        lines.append(line + (_compared(base, own) if name != BASE else " | | |"))
    return "\n".join(lines)


def _compared(base: dict[str, float], own: dict[str, float]) -> str:
    differences = [base[case] - own[case] for case in own if case in base]
    if not differences:
        return " | | |"
    low, high = interval(differences)
    better = _share(sum(each > 0 for each in differences), len(differences))
    return (
        f" {len(differences)} | {better} | {statistics.fmean(differences):+.2f} [{low:+.2f}, {high:+.2f}] |"
    )


def by_part(rows: Sequence[Row], counts: Part) -> str:
    """Return the table of the cases that count, by part."""
    return _columns(rows, PARTS, lambda chosen: _of(sum(map(counts, chosen)), len(chosen)))


def by_kind(rows: Sequence[Row]) -> str:
    """Return the table of intended calls by the kind of mistake."""
    kinds = {kind: _is_kind(kind) for kind in dict.fromkeys(row.case.kind for row in rows)}
    return _columns(rows, kinds, lambda chosen: f"{sum(map(_intended, chosen))} of {len(chosen)}")


def differences(rows: Sequence[Row]) -> str:
    """Return the table of differences in log-odds, by part; a positive one is in favor of toolgen's text."""
    base = {row.case.id: row.measured.log_odds for row in rows if row.name == BASE}

    def cell(chosen: Sequence[Row]) -> str:
        found = [base[row.case.id] - row.measured.log_odds for row in chosen if row.case.id in base]
        if not found:
            return ""
        low, high = interval(found)
        return f"{statistics.fmean(found):+.2f} [{low:+.2f}, {high:+.2f}] of {len(found)}"

    return _columns([row for row in rows if row.name != BASE], PARTS, cell)


def _columns(rows: Sequence[Row], parts: Mapping[str, Part], cell: Callable[[Sequence[Row]], str]) -> str:
    lines = [f"| text | {' | '.join(parts)} |", f"| --- |{' --- |' * len(parts)}"]
    for name in names(rows):
        own = [row for row in rows if row.name == name]
        cells = [cell([row for row in own if is_in(row)]) for is_in in parts.values()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _is_kind(kind: str) -> Part:
    return lambda row: row.case.kind == kind


def _intended(row: Row) -> bool:
    return outcome(row) == "intended"


def _other_valid(row: Row) -> bool:
    return outcome(row) == "other valid"


def _of(count: int, total: int) -> str:
    return f"{count} of {total} ({count / total:.0%})" if total else ""


def misled(rows: Sequence[Row]) -> str:
    """Return the table of cases in which the hint's edits give a valid call that was not intended."""
    lines = [
        "| text | cases | the intended call | the call of the wrong edits | another valid call |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name in names(rows):
        own = [row for row in rows if row.name == name and _misleads(row)]
        followed = [row for row in own if _follows(row)]
        found = [outcome(row) for row in own]
        others = found.count("other valid") - len(followed)
        lines.append(f"| {name} | {len(own)} | {found.count('intended')} | {len(followed)} | {others} |")
    return "\n".join(lines)


def _misleads(row: Row) -> bool:
    return row.own.corrected is not None and not is_same(row.own.corrected, row.case.intended)


def _follows(row: Row) -> bool:
    call = read_call(row.measured.written)
    return call is not None and row.own.corrected is not None and is_same(call, row.own.corrected)


def _share(count: int, total: int) -> str:
    return f"{count} ({count / total:.0%})" if total else "0"


Figure = dict[str, float]
"""A figure with its interval: `value`, `low`, `high`."""


def figures(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return the figures of toolgen's text that must not get worse; more is better."""
    own = [row for row in rows if row.name == BASE]
    certain = [row for row in own if row.own.edits == "certain"]
    found = {}
    for part, chosen in (("all", own), ("certain", certain)):
        hits = [float(outcome(row) == "intended") for row in chosen]
        for name, values in (("intended", hits), ("log-odds", [row.measured.log_odds for row in chosen])):
            if values:
                low, high = interval(values)
                found[f"{name}, {part}"] = {"value": statistics.fmean(values), "low": low, "high": high}
    return found


def worse(stored: dict[str, Figure], now: dict[str, Figure]) -> list[str]:
    """Return a line for each figure that is below its stored interval, or that is not there any more."""
    lines = []
    for name, was in stored.items():
        if name not in now:
            lines.append(f"{name}: was {was['value']:.3f}, is not measured")
        elif now[name]["value"] < was["low"]:
            lines.append(
                f"{name}: {now[name]['value']:.3f}, was {was['value']:.3f} [{was['low']:.3f}, {was['high']:.3f}]"
            )
    return lines
