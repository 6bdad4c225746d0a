"""JSON as Python and JavaScript write it, and with the slips of models: the same text in strict JSON.

Other quotes, `True`, `False` and `None`, keys without quotes, commas before a closing bracket, comments, bare line
breaks in strings. Each of these has one reading; what has none (bare words, tuples, expressions) gives None. Linear
in the text.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r\n]++ | //[^\n]*+ | /\*(?:[^*]++|\*(?!/))*+\*/)
    | (?P<plain>"(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9A-Fa-f]{4})*+")
    | (?P<bare>"(?:[^"\\\x00-\x08\x0b\x0c\x0e-\x1f]++|\\["\\/bfnrt]|\\u[0-9A-Fa-f]{4})*+")
    | (?P<single>'(?:[^'\\\x00-\x1f]++|\\['"\\bfnrt]|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2})*+')
    | (?P<curly>[\u201c\u201d\u201e][^"\\\u201c-\u201f\x00-\x1f]*+[\u201c\u201d])
    | (?P<curved>[\u2018\u201a][^"\\\u2018-\u201f\x00-\x1f]*+\u2019)
    | (?P<key>[A-Za-z_$][\w$-]*+(?=[ \t\r\n]*+:))
    | (?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![\w.]))
    | (?P<word>[A-Za-z_][A-Za-z_0-9]*+)
    | (?P<comma>,)
    | (?P<mark>[\[\]{}:])
    """,
    re.VERBOSE,
)
_WORDS = {"True": "true", "False": "false", "None": "null", "true": "true", "false": "false", "null": "null"}
_CONTROL = re.compile(r"[\x00-\x1f]")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|(.))|(\")", re.DOTALL)


def to_json(text: str) -> str | None:
    """Return a text as strict JSON; None where a part of it has no reading of its own.

    Whether the whole is JSON is not looked at.

    >>> print(to_json("{'a': [True, 'it\\\\'s',], }"))
    {"a": [true, "it's"] }
    """
    pieces: list[str] = []
    last = ""  # the last token that is not space
    comma = 0  # where a comma stands that the next token may show to be one too many
    at, end = 0, len(text)
    while at < end:
        token = _TOKEN.match(text, at)
        if token is None:
            return None
        kind, piece = str(token.lastgroup), token[0]
        at = token.end()
        strict = _strict(kind, piece)
        if strict is None or (kind == "key" and last not in ("{", ",")):
            return None
        if kind == "mark" and piece in "]}" and comma:
            pieces[comma] = ""
        if kind != "space":
            comma = len(pieces) if kind == "comma" and last not in ("{", "[", ",") else 0
            last = piece
        pieces.append(strict)
    return "".join(pieces)


def _strict(kind: str, piece: str) -> str | None:
    if kind == "word":
        return _WORDS.get(piece)
    if kind == "space" and piece.startswith("/"):
        return " "
    if kind == "key":
        return None if piece in _WORDS else f'"{piece}"'
    if kind in ("curly", "curved"):
        return f'"{piece[1:-1]}"'
    if kind == "single":
        return f'"{_ESCAPE.sub(_escaped, piece[1:-1])}"'
    if kind == "bare":
        return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", piece)
    return piece


def _escaped(found: re.Match[str]) -> str:
    """Return an escape, or a quote, of a string in single quotes as it stands in double ones."""
    if found[1] is not None:
        return f"\\u00{found[1]}"
    if found[3] is not None:
        return '\\"'
    return "'" if found[2] == "'" else found[0]
