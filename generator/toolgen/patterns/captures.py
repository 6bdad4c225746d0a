"""Backreferences to a group of a few words, written out: `(['"])x\\1` is `'x'|"x"`, which any engine can run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from toolgen.patterns.charsets import single
from toolgen.patterns.finite import words_of
from toolgen.patterns.nodes import (
    EMPTY,
    Backreference,
    Chars,
    Choice,
    Group,
    Look,
    Node,
    Repeat,
    Sequence,
    children,
    sequence,
    walk,
)

MOST_NODES: Final = 2_000
"""Most nodes of a pattern that is written out."""


def without_captures(node: Node) -> Node:
    """Return the pattern without the backreferences whose group, earlier in the same sequence, has few words.

    A reference is written out only where every match of it comes after its group in the same sequence: there the
    group has captured one of its words, or, if it is optional, perhaps nothing, which a reference matches with
    the empty text (ECMA-262 22.2.2.7.2, BackreferenceMatcher).
    """
    references = _references(node)
    if not references:
        return node
    written = _written(node, references)
    if _references(written) == references:
        return node
    return written if sum(1 for _ in walk(written)) <= MOST_NODES else node


def _references(node: Node) -> Counter[int]:
    return Counter(part.number for part in walk(node) if isinstance(part, Backreference))


def _written(node: Node, references: Counter[int]) -> Node:
    match node:
        case Sequence(items):
            return _written_sequence([_written(item, references) for item in items], references)
        case Choice(options):
            return Choice(tuple(_written(option, references) for option in options))
        case Repeat(body, low, high, lazy):
            return Repeat(_written(body, references), low, high, lazy)
        case Group(body, number):
            return Group(_written(body, references), number)
        case Look(body, behind, negated):
            return Look(_written(body, references), behind, negated)
        case _:
            return node


def _written_sequence(items: list[Node], references: Counter[int]) -> Node:
    for at, item in enumerate(items):
        captured = _captured(item)
        if captured is None:
            continue
        number, words = captured
        rest = Sequence(tuple(items[at + 1 :]))
        if _references(rest)[number] != references[number]:
            continue
        size = sum(1 for _ in walk(rest))
        if len(words) * size > MOST_NODES:
            continue
        options = [
            _written_sequence([*_literal(word), *_replaced(rest, number, _literal(word))], references)
            for word in words
        ]
        return sequence([*items[:at], Choice(tuple(options))])
    return sequence(items)


def _captured(node: Node) -> tuple[int, list[str]] | None:
    """Return the number of a group and the words that it can capture; "" where it may be left out, too."""
    match node:
        case Group(body, number) if words := words_of(body):
            return number, sorted(words)
        case Repeat(Group(body, number), 0, 1) if (words := words_of(body)) and "" not in words:
            return number, ["", *sorted(words)]
        case _:
            return None


def _literal(word: str) -> list[Node]:
    return [Chars(single(ord(char))) for char in word]


def _replaced(node: Sequence, number: int, by: list[Node]) -> Iterator[Node]:
    for item in node.items:
        yield _with(item, number, sequence(by) if by else EMPTY)


def _with(node: Node, number: int, word: Node) -> Node:
    """Return a node with a text in place of each reference to a group."""
    match node:
        case Backreference(referred) if referred == number:
            return word
        case Repeat(body, low, high, lazy):
            return Repeat(_with(body, number, word), low, high, lazy)
        case Group(body, own):
            return Group(_with(body, number, word), own)
        case Look(body, behind, negated):
            return Look(_with(body, number, word), behind, negated)
        case Sequence() | Choice():
            return type(node)(tuple(_with(child, number, word) for child in children(node)))
        case _:
            return node
