"""Pages in Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(
    not (find_spec("playwright") and CHROMIUM), reason="no Chromium, or no playwright, here"
)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]

WIDER = """() => [...document.querySelectorAll('body *')]
  .filter(each => each.scrollWidth > each.clientWidth + 1 && each.clientWidth)
  .filter(each => !['auto', 'scroll'].includes(getComputedStyle(each).overflowX))
  .filter(each => getComputedStyle(each).display !== 'inline' && !each.matches('.skip'))
  .map(each => [each.tagName, each.className, each.scrollWidth, each.clientWidth, each.textContent.slice(0, 60)])"""
BROKEN = """() => [...document.querySelectorAll('th, .n, td code, dt, dd')]
  .filter(each => each.closest('main') && each.textContent.trim() && !/\\s/.test(each.textContent.trim()))
  .filter(each => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return new Set([...range.getClientRects()].map(box => Math.round(box.top / 8))).size > 1;
  }).map(each => each.textContent)"""


@contextmanager
def browser() -> Iterator[Any]:
    """Give Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield opened
        finally:
            opened.close()


def faults(page: Any) -> dict[str, list[Any]]:
    """Return what a page cuts off or moves out of the window, and the words of tables that it breaks."""
    width = page.viewport_size["width"]
    beyond = page.evaluate("document.documentElement.scrollWidth")
    return {
        "beyond": [beyond] if beyond > width else [],
        "wider": page.evaluate(WIDER),
        "broken": page.evaluate(BROKEN) if page.title() == "Recorded tool calls" else [],
    }
