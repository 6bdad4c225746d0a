"""What was sent, in a sentence about it."""

from __future__ import annotations

from toolgen_runtime.hints.problems import Problem
from toolgen_runtime.hints.text import shown
from toolgen_runtime.validation.issues import MISSING

MAX_GOTS = 100


def echo(problem: Problem) -> str:
    """Return the wrong value, or a word for it where it is secret or not known; of items in one line up to three."""
    if problem.secret or problem.got is MISSING:
        return "the value"
    if not problem.group:
        return shown(problem.got)
    texts = list(dict.fromkeys(shown(f.got) for f in problem.group[:MAX_GOTS]))
    return ", ".join(texts[:3]) + (", …" if len(texts) > 3 or len(problem.group) > MAX_GOTS else "")
