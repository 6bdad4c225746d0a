"""What stands around the JSON of a text, or in its place."""

from __future__ import annotations

import re

from toolgen_runtime.hints.malformed.broken_text import BrokenText
from toolgen_runtime.hints.malformed.objects import Objects, same
from toolgen_runtime.hints.malformed.relaxed import first_value

MAX_SCANNED = 200_000
"""Characters of a text in which objects are looked for."""
_XML = re.compile(r"</?[A-Za-z][\w:.-]*[^<>]{0,80}>?")
_THOUGHTS = re.compile(r"<(?:think|thinking|thought|reasoning|reflection|analysis)>", re.IGNORECASE)
_CALL = re.compile(r"(?:[A-Za-z_][\w.]*\s?)?\(")
_ASSIGNMENT = re.compile(r"[A-Za-z_][\w.-]*[ \t]*=")
_LINE = re.compile(r"-?[ \t]*[\"']?[A-Za-z_][\w.-]*[\"']?[ \t]*:(?:[ \t]|\r?\n|$)")
_QUOTED_OBJECT = ('"{', "'{", "`{", "\u201c{")
_AT_END = "nothing after the end of the value"
_SEND = "Send a JSON object"


def fence(text: BrokenText) -> str | None:
    """Return a code fence, as the first thing or after some words."""
    if not text.is_at_start or "```" not in text.text[:MAX_SCANNED]:
        return None
    first = text.head.split("\n", 1)[0]
    if not first.startswith("```"):
        return f"the arguments are text with a code fence{text.seen(first)}. Send the bare JSON object alone."
    return f"the arguments begin with a code fence{_quoted(text, first)}. Send the bare JSON object alone."


def _quoted(text: BrokenText, first: str) -> str:
    """Return a fence's first line, which has the backquotes that others are shown in."""
    language = first[3:].strip()
    return f', "```{language}"' if text.seen(first) and (not language or language.isalnum()) else ""


def thoughts(text: BrokenText) -> str | None:
    """Return a block of thoughts before the arguments."""
    found = _THOUGHTS.match(text.head)
    if found is None or not text.is_at_start:
        return None
    return f"the arguments begin with {found[0].lower()}. Send the JSON object alone, without your thoughts."


def xml(text: BrokenText) -> str | None:
    """Tags, as of a call in XML."""
    found = _XML.match(text.head)
    if found is None or not text.is_at_start:
        return None
    if _objects(text):
        return f"tags stand around the arguments{text.seen(found[0])}. Send the JSON object alone."
    return f"the arguments are XML{text.seen(found[0])}. {_SEND} with the fields as keys."


def call(text: BrokenText) -> str | None:
    """Return a call as Python or JavaScript write it."""
    found = _CALL.match(text.head)
    if found is None or not text.is_at_start:
        return None
    return f"the arguments are written as a call{text.seen(text.head)}. {_SEND} with the parameters as keys."


def lines(text: BrokenText) -> str | None:
    """YAML, or `key=value`."""
    if not text.is_at_start or text.head.startswith('"') or _objects(text):
        return None
    if _ASSIGNMENT.match(text.head):
        return f'the arguments are written with "="{text.seen(text.head)}. {_SEND}: {{"key": value}}.'
    if _LINE.match(text.head):
        return f"the arguments are YAML{text.seen(text.head)}. {_SEND}, with braces and double quotes."
    return None


def prose(text: BrokenText) -> str | None:
    """Words, with an object among them or none."""
    if not text.is_at_start or not text.head[:1].isalpha():
        return None
    if _objects(text):
        return f"the arguments begin with words{text.seen(text.head)}. Send the JSON object alone."
    return f"the arguments are plain text{text.seen(text.head)}. {_SEND}."


def _objects(text: BrokenText) -> bool:
    scanned = text.text[:MAX_SCANNED]
    return bool(Objects(scanned).values) or first_value(scanned, max(scanned.find("{"), 0)) is not None


def quoted(text: BrokenText) -> str | None:
    """Return an object in quotes of its own."""
    if not text.head.startswith(_QUOTED_OBJECT) or (text.fault.expected != _AT_END and not text.is_at_start):
        return None
    return f"quotes stand around the object{text.seen(text.head, 20)}. Send the bare JSON object alone."


def outer_braces(text: BrokenText) -> str | None:
    """Return members without an object around them."""
    if text.fault.expected != _AT_END or text.head[:1] != '"' or not text.rest.startswith((":", "=")):
        return None
    what = "opening brace is" if text.text.rstrip().endswith("}") else "outer braces are"
    return f"the {what} missing{text.seen(text.head)}. {_SEND}, in {{ }}."


def after_the_end(text: BrokenText) -> str | None:
    """More after a whole value: other objects, closing brackets, words."""
    if text.fault.expected != _AT_END:
        return None
    rest = text.rest.strip()
    extra = rest.rstrip("; \t\r\n")
    if extra and not extra.strip("}]"):
        many, it = ("one", "it") if len(extra) == 1 else (str(len(extra)), "them")
        return f'the arguments have {many} "{extra[0]}" too many at the end. Leave {it} out.'
    if rest.startswith(",") and text.head.startswith("{"):
        seen = text.seen(rest, lead=", before ")
        return f"the object of the arguments is closed too early{seen}. Send one object with all fields."
    if not rest.lstrip(",;").lstrip().startswith("{"):
        return f"text follows the JSON of the arguments{text.seen(rest)}. Send the JSON object alone."
    return _in_a_row(text)


def _in_a_row(text: BrokenText) -> str:
    objects = Objects(text.text[:MAX_SCANNED])
    values = [value for value in objects.values if value]
    if len(values) < len(objects.values) and len(values) == 1 and objects.is_whole:
        return "an empty object, {}, stands beside the arguments. Send the other object alone."
    if len(values) > 1 and same(values) and objects.is_whole:
        times = "twice" if len(values) == 2 else f"{len(values)} times"
        return f"the arguments hold the same JSON object {times}. Send it once."
    if not objects.is_whole or text.is_excerpt or len(values) < 2:
        return "the arguments hold more than one JSON object. Send one; a second call is a call of its own."
    return f"the arguments hold {len(values)} JSON objects in a row. Send one; each other call is a call of its own."
