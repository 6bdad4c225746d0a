"""Histories of a size, each hostile in one way, in the words of any provider."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from helpers.provider_words import Message, Words


def _each(count: int, make: Callable[[int], Iterable[Message]]) -> list[Message]:
    return [message for number in range(count) for message in make(number)]


SHAPES: dict[str, Callable[[Words, int], list[Message]]] = {
    "results without calls, one message": lambda w, n: w.answered(*(w.result(f"c{i}") for i in range(n))),
    "results without calls, a message each": lambda w, n: _each(n, lambda i: w.answered(w.result(f"c{i}"))),
    "results in messages of the model": lambda w, n: _each(
        n, lambda i: w.said(w.result(f"c{i}"), w.text("x"))
    ),
    "calls without results, one message": lambda w, n: w.said(*(w.call(f"c{i}") for i in range(n))),
    "calls without results, a message each": lambda w, n: _each(n, lambda i: w.said(w.call(f"c{i}"))),
    "calls without results, each answered in words": lambda w, n: _each(
        n, lambda i: [*w.said(w.call(f"c{i}")), *w.answered(w.text("x"))]
    ),
    "calls of one id, one message": lambda w, n: w.said(*(w.call("c") for _ in range(n))),
    "calls of one id, each with its result": lambda w, n: _each(
        n, lambda _: [*w.said(w.call("c")), *w.answered(w.result("c"))]
    ),
    "one call, many results": lambda w, n: [
        *w.said(w.call("c")),
        *w.answered(*(w.result("c") for _ in range(n))),
    ],
    "calls and results without ids": lambda w, n: [
        *w.said(*(w.call(None) for _ in range(n))),
        *w.answered(*(w.result(None) for _ in range(n))),
    ],
    "calls without ids, results of one": lambda w, n: [
        *w.said(*(w.call(None) for _ in range(n))),
        *w.answered(*(w.result("c") for _ in range(n))),
    ],
    "results after the last call": lambda w, n: [
        *_each(n, lambda i: [*w.said(w.call(f"c{i}")), *w.answered(w.text("x"))]),
        *w.answered(*(w.result(f"c{i}") for i in range(n))),
    ],
    "results after text": lambda w, n: _each(
        n, lambda i: [*w.said(w.call(f"c{i}")), *w.answered(w.text("x"), w.result(f"c{i}"))]
    ),
    "results in the wrong order": lambda w, n: [
        *w.said(*(w.call(f"c{i}") for i in range(n))),
        *w.answered(*(w.result(f"c{i}") for i in reversed(range(n)))),
    ],
    "ids that no provider takes": lambda w, n: [
        *w.said(*(w.call(f"\u00e9 {i}" * 20) for i in range(n))),
        *w.answered(*(w.result(f"\u00e9 {i}" * 20) for i in range(n))),
    ],
    "blanks, one message": lambda w, n: w.answered(*(w.text(" " * (i % 3)) for i in range(n))),
    "blanks, a message each": lambda w, n: _each(n, lambda i: w.answered(w.text(" " * (i % 3)))),
    "blanks of the model": lambda w, n: _each(n, lambda _: w.said(w.text(""))),
    "empty messages": lambda w, n: _each(n, lambda _: [*w.said(), *w.answered()]),
    "one speaker": lambda w, n: _each(n, lambda i: w.answered(w.text(f"x{i}"))),
    "pairs of one speaker": lambda w, n: _each(
        n, lambda i: [*w.answered(w.text(f"x{i}")), *w.answered(w.text("y")), *w.said(w.text("z"))]
    ),
    "many blocks": lambda w, n: w.answered(*(w.text(f"x{i}") for i in range(n))),
    "documents of one name": lambda w, n: w.answered(*(w.document("a b.txt") for _ in range(n))),
    "parts of no known type": lambda w, n: _each(n, lambda i: w.answered({"type": "functionx", "odd": i})),
    "content that is a number": lambda w, n: [
        {"role": "user", "content": i, "parts": i, "type": 5} for i in range(n)
    ],
}
