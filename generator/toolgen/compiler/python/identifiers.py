"""Choose the names in generated code. Only this module creates values of the type `Identifier`.

Every name depends only on the spec's own text, and a hash (not a counter) resolves collisions. Adding or removing one
tool or property therefore does not change the names of the others.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from typing import NewType

Identifier = NewType("Identifier", str)
"""A name in generated code: an ASCII identifier that is not a keyword and equals its own NFKC form."""

MAX_IDENTIFIER = 80
"""The maximum length of a name made from one text of a spec; a longer text is cut and gets a hash."""

RESERVED_MODULES = frozenset(
    ["toolset", "toolsets", "con", "prn", "aux", "nul"]
    + [f"{d}{n}" for d in ("com", "lpt") for n in range(10)]
)
"""Names that a tool's module must not have: those of the generated package, and of Windows devices."""

_SHADOWING = """self cls mro register
construct copy dict fields from_checked from_orm json parse_file parse_obj parse_raw root schema schema_json
update_forward_refs validate"""
_ANNOTATING = "Annotated Any ConfigDict Field JsonInteger Literal bool float int list str"

RESERVED_ATTRIBUTES = frozenset(f"{_SHADOWING} {_ANNOTATING}".split())
"""Names that an attribute must not have: methods of the payload classes, and names in annotations."""

_SNAKE = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)
_ATTRIBUTE = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)
_WORD_STARTS = re.compile(r"(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z0-9])(?=[A-Z])")
_NOT_NAME = re.compile(r"[^A-Za-z0-9]+")


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _words(text: str) -> tuple[list[str], bool]:
    """Return the lower-case ASCII words of a text, without accents, and whether a letter or digit was lost."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    lost = any(c.isalnum() and not c.isascii() for c in plain)
    return _WORD_STARTS.sub(" ", _NOT_NAME.sub(" ", plain)).lower().split(), lost


def _snake(text: str, fallback: str) -> str:
    """Return any text in snake case, and add a hash of the text if it was shortened or lost characters."""
    words, lost = _words(text)
    is_whole = bool(words) and not lost
    if not words or words[0][0].isdigit():
        words.insert(0, fallback)
    name = "_".join(words)
    if is_whole and len(name) <= MAX_IDENTIFIER:
        return name
    return f"{name[: MAX_IDENTIFIER - 9].rstrip('_')}_{_digest(text)}"


def _is_module_name(text: str) -> bool:
    return (
        len(text) <= MAX_IDENTIFIER
        and _SNAKE.fullmatch(text) is not None
        and not keyword.iskeyword(text)
        and text not in RESERVED_MODULES
    )


def module_name(tool: str) -> Identifier:
    """Return the name of the module for a tool.

    It is the tool's name in snake case, such as `create_issue` for `createIssue`.

    A valid module name is not changed.
    """
    if _is_module_name(tool):
        return Identifier(tool)
    name = _snake(tool, "tool")
    return Identifier(name if _is_module_name(name) else f"{name}_")


def module_names(tools: Iterable[str], *, client: bool = False) -> dict[str, Identifier]:
    """Return the name of the module for each tool of a package.

    If several tools would share a name, the tool with exactly that name keeps it. The others get a suffix made from a
    hash of their own names, whatever their order. A tool called `client` also gets a suffix if the package has a
    client.
    """
    names = {tool: module_name(tool) for tool in tools}
    parted = _part(names)
    if client:
        taken = set(parted.values())
        for tool, name in parted.items():
            if name == "client":
                parted[tool] = _suffixed(name, tool, taken)
    return parted


def _part(names: dict[str, Identifier]) -> dict[str, Identifier]:
    """Return the names without duplicates.

    A text keeps its name if it equals the name or is the only text with this name.
    """
    sharing = Counter(names.values())
    if len(sharing) == len(names):
        return names
    taken = set(sharing)
    parted = dict(names)
    for text in sorted(names):
        name = names[text]
        if text != name and sharing[name] > 1:
            parted[text] = _suffixed(name, text, taken)
            taken.add(parted[text])
    return parted


def _suffixed(name: Identifier, text: str, taken: set[Identifier]) -> Identifier:
    """Return `name` with a hash of `text` added. If the result is taken, which happens only on purpose, hash again."""
    stem = name.rstrip("_")
    mark = ""
    while (candidate := Identifier(f"{stem}_{_digest(text + mark)}")) in taken:
        mark += "#"
    return candidate


def class_name(tool: str, suffix: str = "Payload") -> Identifier:
    """Return the name of the payload class for a tool: `CreateIssuePayload` for `create-issue`."""
    return Identifier(_pascal(_snake(tool, "tool")) + suffix)


def nested_class_name(owner: Identifier, step: str) -> Identifier:
    """Return the name of a class that is nested in another class: `CreateIssuePayloadOwner`.

    If a deep path makes the name too long, it is cut; `distinct_class_name` resolves collisions.
    """
    words, _ = _words(step)
    name = owner + _pascal("_".join(words))
    return Identifier(name[: 2 * MAX_IDENTIFIER])


def distinct_class_name(name: Identifier, place: str) -> Identifier:
    """Add a hash of the schema's JSON pointer to a class name that is already taken."""
    return Identifier(f"{name}_{_digest(place)}")


def _pascal(snake: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in snake.split("_"))


def _is_attribute(text: str) -> bool:
    return (
        len(text) <= MAX_IDENTIFIER
        and _ATTRIBUTE.fullmatch(text) is not None
        and not keyword.iskeyword(text)
        and text not in RESERVED_ATTRIBUTES
        and not text.startswith("model_")
        and "Payload" not in text
    )


def attribute_name(key: str) -> Identifier:
    """Return the name of the attribute for a property: the property's own name if Python and pydantic allow
    it.
    """
    if _is_attribute(key):
        return Identifier(key)
    if _is_attribute(f"{key}_"):
        return Identifier(f"{key}_")
    name = _snake(key, "field")
    if name.startswith("model_"):
        name = f"field_{name}"
    return Identifier(name if _is_attribute(name) else f"{name}_")


def attribute_names(keys: Iterable[str]) -> dict[str, Identifier]:
    """Return the name of the attribute for each property of a class. All names are different.

    A property keeps its own name if possible.
    """
    return _part({key: attribute_name(key) for key in keys})
