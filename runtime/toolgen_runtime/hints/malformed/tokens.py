"""The tokens of JSON as other languages and hurried models write it, each with its strict form.

Every pattern is possessive, so that reading a text takes time in proportion to its length.
"""

from __future__ import annotations

import re

_SPACE = r"[ \t\r\n\u00a0\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]"
_NAME = r"(?:[^\W\d]|\$)[\w$-]*+"

token_at = re.compile(
    rf"""
    (?P<space>{_SPACE}++ | \\[nrt])
    | (?P<comment>//[^\n]*+ | \#[^\n]*+ | /\*(?:[^*]++|\*(?!/))*+\*/)
    | (?P<plain>"(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9A-Fa-f]{{4}})*+")
    | (?P<bare>"(?:[^"\\\x00-\x08\x0b\x0c\x0e-\x1f]++|\\["\\/bfnrt]|\\u[0-9A-Fa-f]{{4}})*+")
    | (?P<single>'(?:[^'\\\x00-\x1f]++|\\['"\\bfnrt]|\\u[0-9A-Fa-f]{{4}}|\\x[0-9A-Fa-f]{{2}})*+')
    | (?P<curly>[\u201c\u201d\u201e][^"\\\u201c-\u201f\x00-\x1f]*+[\u201c\u201d])
    | (?P<curved>[\u2018\u201a][^"\\\u2018-\u201f\x00-\x1f]*+\u2019)
    | (?P<template>`[^`\\$\x00-\x08\x0b\x0c\x0e-\x1f]*+`)
    | (?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![\w.]))
    | (?P<signed>\+(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![\w.]))
    | (?P<word>[A-Za-z_][A-Za-z_0-9]*+)
    | (?P<comma>,)
    | (?P<open>[\[{{])
    | (?P<close>[\]}}])
    """,
    re.VERBOSE,
).match
"""`signed` is a number with a plus before it, `bare` a string with bare line breaks or tabs."""

STRINGS = frozenset(("plain", "bare", "single", "curly", "curved", "template"))
NUMBERS = frozenset(("number", "signed"))

colon_at = re.compile(rf"{_SPACE}*+:").match
name_at = re.compile(rf"(?:{_NAME}|[0-9]++)(?={_SPACE}*+:)").match
"""A key without quotes."""

_WORDS = {"true": "true", "false": "false", "null": "null", "none": "null", "nil": "null"}
_CONTROL = re.compile(r"[\x00-\x1f]")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|(.))|(\")", re.DOTALL)


def starts_with_key(text: str) -> bool:
    """Return whether a text begins with a key and its colon."""
    token = token_at(text)
    if token is not None and token.lastgroup in STRINGS and colon_at(text, token.end()):
        return True
    return name_at(text) is not None


def string_of(kind: str, piece: str) -> str:
    """Return a string token in strict JSON."""
    if kind == "plain":
        return piece
    if kind == "single":
        return f'"{_ESCAPE.sub(_escaped, piece[1:-1])}"'
    inner = piece[1:-1]
    if kind == "template":
        inner = inner.replace('"', '\\"')
    return f'"{_CONTROL.sub(_written_out, inner)}"'


def word_of(piece: str) -> str | None:
    """Return a constant of Python, JavaScript, Ruby or Go in strict JSON; None for any other word."""
    return _WORDS.get(piece.lower())


def _written_out(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def _escaped(found: re.Match[str]) -> str:
    """Return an escape, or a quote, of a string in single quotes as it stands in double ones."""
    if found[1] is not None:
        return f"\\u00{found[1]}"
    if found[3] is not None:
        return '\\"'
    return "'" if found[2] == "'" else found[0]
