"""The slips of texts that are almost JSON: what is said of each, and when its reading is the only one."""

from __future__ import annotations

from typing import Literal, NamedTuple

Certain = Literal["always", "if fields", "if valid", "never"]
"""`if fields`: the keys at it are declared fields; `if valid`: the value is valid as it is."""


class Slip(NamedTuple):
    """A slip of one kind at a place of a text."""

    kind: str
    at: int = 0


class Kind(NamedTuple):
    """What is said of a slip, around the part of the text at it, and when a reading with it is certain."""

    says: str
    certain: Certain = "always"
    send: str = "Send the JSON object alone."


_QUOTE = "Put each key in double quotes."
KINDS = {
    # What is around the JSON.
    "encoded": Kind("the JSON is in a string"),
    "thoughts": Kind("the arguments begin with your thoughts", send="Send the JSON object alone, without them."),
    "fence": Kind("the arguments are in a code fence"),
    "tags": Kind("there are tags around the arguments{seen}"),
    "call": Kind("the arguments are written as a call{seen}"),
    "introduction": Kind("the arguments begin with words{seen}"),
    "words": Kind("there is text around the JSON of the arguments{seen}", "never"),
    "repeated": Kind("the arguments contain the same JSON object more than once", send="Send it once."),
    "repetition cut off": Kind("the arguments contain the JSON object more than once", "never", "Send it once."),
    "empty object": Kind("there is an empty object, {{}}, next to the arguments", send="Send the other object alone."),
    "bracket": Kind("there is a closing bracket too many at the end", send="Leave it out."),
    "semicolon": Kind("there is a semicolon after the JSON", send="Leave it out."),
    "no opening brace": Kind("the opening brace is missing{seen}", "if fields", "Send a JSON object, in {{ }}."),
    "no braces": Kind("the braces around the object are missing{seen}", "never", "Send a JSON object, in {{ }}."),
    # What is in it.
    "comma": Kind("there is a comma too many{place}{before}", send="Leave it out."),
    "quotes": Kind("keys and strings are not in double quotes{seen}", send="Use double quotes."),
    "backslash": Kind(
        "there is a backslash in other quotes{place}{seen}", "never", "Use double quotes, and \\\\ for each backslash."
    ),
    "line break": Kind("{subject} has a raw line break{after}", send="Write it as \\n."),
    "tab": Kind("{subject} has a raw tab{after}", send="Write it as \\t."),
    "key": Kind("the keys have no quotes{seen}", send=_QUOTE),
    "no comma": Kind("a comma is missing{place}{before}", "if fields", "Put it there."),
    "two at a key": Kind("a comma is missing{place}{before}", "never", "Put it there."),
    "constant": Kind("a constant of Python is used{place}{seen}", send="Send JSON: true, false, null."),
    "word": Kind(
        "a word that is not JSON is used{place}{seen}", "never", "Send true, false or null, or put it in double quotes."
    ),
    "plus": Kind("a number has a plus before it{place}{seen}", "if valid", "Leave it out."),
    "comment": Kind("there is a comment, which JSON does not have{seen}", "never", "Leave it out."),
    "space": Kind("a space that JSON does not know is outside of strings{place}", send="Send plain spaces."),
}  # fmt: skip
"""The closed list: a reading is certain only if each of its slips is."""
