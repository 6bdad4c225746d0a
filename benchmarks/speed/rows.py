"""`Row`: one line of the table of speed, and its computation from many ratios."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One figure, a ratio or an exponent, its upper limit, and a note with further figures."""

    what: str
    against: str
    seen: float
    target: float
    note: str = ""

    @property
    def met(self) -> bool:
        """Whether the target is reached, at the precision that the table shows."""
        return float(figure(self.seen)) <= self.target


def figure(value: float) -> str:
    """Return a ratio as in the table: with three decimals below 0.1, otherwise two."""
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def row_of_ratios(what: str, against: str, ratios: Sequence[float], target: float, note: str = "") -> Row:
    """Return the geometric mean of ratios, one per payload, with their quartiles in the note."""
    if len(ratios) < 2:
        raise ValueError(f"{what}: {len(ratios)} payloads could be compared; take more schemas (--rows)")
    quartiles = " ".join(map(figure, statistics.quantiles(ratios)))
    notes = f"{len(ratios)} payloads, quartiles {quartiles}"
    return Row(
        what, against, statistics.geometric_mean(ratios), target, f"{notes}; {note}" if note else notes
    )


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return the slope of a line through the logarithms: 1 is linear, 2 quadratic."""
    logs = [math.log(size) for size in sizes], [math.log(cost) for cost in costs]
    return statistics.linear_regression(*logs).slope
