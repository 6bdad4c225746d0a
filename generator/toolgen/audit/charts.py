"""The charts of the page: Vega-Lite, drawn as SVG by vl-convert in this process; no browser, script or network."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Final

from toolgen.diagnostics import Diagnostic, Place, SpecError

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v5.json"
"""The name of Vega-Lite's language; it is not fetched."""
VERSION: Final = "5.21"
WIDTH: Final = 420
STEP: Final = 22
MAX_BARS: Final = 15
MAX_LABEL: Final = 260
MAX_TICKS: Final = 8
"""Fewer where the longest bar is shorter: calls have no fractions."""
FONT: Final = "Arial, Helvetica, Liberation Sans, sans-serif"
"""Fonts of the same widths: labels are placed by the widths here, and drawn with the reader's font."""
COLOURS: Final = ("#c2410c", "#0f766e", "#6d28d9")
"""Each at least 3:1 against white and against the page's dark ground (WCAG 2.2, 1.4.11)."""
_CONFIG: Final = {
    "background": None,
    "view": {"stroke": None},
    "font": FONT,
    "padding": 12,
    "axis": {
        "labelColor": "currentColor",
        "titleColor": "currentColor",
        "domainColor": "currentColor",
        "tickColor": "currentColor",
        "gridOpacity": 0.2,
        "labelLimit": MAX_LABEL,
    },
    "legend": {"labelColor": "currentColor", "titleColor": "currentColor", "orient": "top"},
}


def bars(rows: Sequence[tuple[str, str, float]], title: str) -> str:
    """Return stacked horizontal bars as SVG: rows of (bar, part, value), the bars in their order.

    Raises:
        SpecError: `missing-extra`: vl-convert is not installed.
    """
    names = list(dict.fromkeys(name for name, _, _ in rows))[:MAX_BARS]
    parts = list(dict.fromkeys(part for _, part, _ in rows))
    values = [{"bar": name, "part": part, "value": value} for name, part, value in rows if name in names]
    colours = {"domain": parts, "range": COLOURS[: len(parts)]}
    longest = max(sum(value for bar, _, value in rows if bar == name) for name in names)
    encoding: dict[str, Any] = {
        "y": {"field": "bar", "type": "nominal", "sort": names, "title": None},
        "x": {
            "field": "value",
            "type": "quantitative",
            "title": title,
            "axis": {"format": "~s", "tickCount": max(1, min(MAX_TICKS, int(longest)))},
        },
        "color": {"field": "part", "type": "nominal", "scale": colours, "sort": parts, "title": None},
    }
    if len(parts) == 1:
        encoding["color"]["legend"] = None
    return _svg(
        {
            "$schema": SCHEMA,
            "width": WIDTH,
            "height": {"step": STEP},
            "data": {"values": values},
            "mark": "bar",
            "encoding": encoding,
            "config": _CONFIG,
        }
    )


def require_charts() -> None:
    """Refuse to go on without what draws charts.

    Raises:
        SpecError: `missing-extra`.
    """
    if find_spec("vl_convert") is None:
        message, hint = (
            "--html needs vl-convert-python, which is not installed",
            "run: pip install 'toolgen[audit]'",
        )
        raise SpecError([Diagnostic(Place(""), "missing-extra", message, hint)])


def _svg(spec: dict[str, Any]) -> str:
    require_charts()
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(spec, vl_version=VERSION)
    return svg
