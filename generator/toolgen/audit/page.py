"""The report as one HTML page that holds all it shows: styles, bars and texts; no script, and no network."""

from __future__ import annotations

from typing import Any, Final

from toolgen.html_template import render

MAX_PROBLEMS: Final = 200
"""Broken constraints that are shown, those of most calls first."""


def page(report: dict[str, Any]) -> str:
    """Return the page of what `report` returns."""
    found = [(tool["name"], problem) for tool in report["tools"] for problem in tool["problems"]]
    found.sort(key=lambda each: (-each[1]["calls"], each[0], each[1]["pointer"]))
    return render("audit.html.jinja", report=report, problems=found[:MAX_PROBLEMS])
