"""`read_text`: the only reader of texts that are not JSON. One pass gives the value and the slips on the way to it.

Nothing is completed: a text that was cut off, and one that holds different objects, has no value.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from toolgen_runtime.hints.malformed import frames
from toolgen_runtime.hints.malformed.frames import Frame, Objects
from toolgen_runtime.hints.malformed.loose_json import Loose, read_loosely
from toolgen_runtime.hints.malformed.slips import KINDS, Slip
from toolgen_runtime.hints.malformed.tokens import starts_with_key
from toolgen_runtime.validation.issues import MISSING
from toolgen_runtime.validation.json_text import read

MAX_TEXT = 2_000_000
"""Characters of a text that is read."""
MAX_LEVELS = 3
"""Strings of JSON within one another."""
_AFTER = "; \t\r\n\u200b\ufeff"


class TextReading(NamedTuple):
    """The value that a text was meant to hold, and its slips, outermost first."""

    value: Any = MISSING
    slips: tuple[Slip, ...] = ()
    names: frozenset[str] = frozenset()
    """Keys that must be fields of the tool."""
    calls: frozenset[str] = frozenset()
    """Names in the text of the tool that is called: all must be the tool's."""
    label: str = ""
    """The word before the object, which must be no field of the tool."""

    @property
    def rule(self) -> str:
        """What a repair calls it: `parsed` if the text is JSON, else `read`."""
        return "read" if self.slips else "parsed"

    @property
    def is_only_reading(self) -> bool:
        """Whether the text has no other reading, whatever the tool."""
        return self.value is not MISSING and all(KINDS[slip.kind].certain == "always" for slip in self.slips)


def read_text(text: str | bytes) -> TextReading:
    """Return the value of a text, `MISSING` if it has none or several, and its slips."""
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError:
            return TextReading()
    if len(text) > MAX_TEXT:
        return TextReading()
    slips: tuple[Slip, ...] = ()
    for _ in range(MAX_LEVELS):
        value, issues = read(text)
        if any(issue.constraint == "duplicate_key" for issue in issues):
            return TextReading()
        if issues:
            return _after(slips, _framed(text.strip()))
        if not isinstance(value, str):
            return TextReading(value, slips)
        text, slips = value, (Slip("encoded"),)
    return TextReading()


def _after(slips: tuple[Slip, ...], reading: TextReading, calls: frozenset[str] = frozenset()) -> TextReading:
    return reading._replace(slips=(*slips, *reading.slips), calls=reading.calls | calls)


def _framed(text: str) -> TextReading:
    """Return the reading of a text without thoughts, fence and tags of a call."""
    slips: list[Slip] = []
    calls = frozenset[str]()
    core = frames.without_thoughts(text)
    if core != text:
        slips.append(Slip("thoughts"))
    for frame in (frames.fenced, frames.untagged):
        if (found := frame(core)) is not None:
            core, calls = found.inner, calls | found.calls
            slips += map(Slip, found.slips)
    return _after((*slips,), _core(core), calls)


def _core(core: str) -> TextReading:
    value, issues = read(core)
    if not issues:
        return TextReading(value) if isinstance(value, dict | list) else TextReading()
    loose = read_loosely(core)
    whole = TextReading(MISSING, loose.slips)
    if not core[loose.end :].strip(_AFTER):
        whole = _of_loose(loose)
        if core[loose.end :].strip():
            whole = whole._replace(slips=(*whole.slips, Slip("semicolon", loose.end)))
    if whole.value is not MISSING or any(issue.constraint == "truncated" for issue in issues):
        return whole
    for reader in (_sole_json_object, _without_braces):
        if (reading := reader(core)) is not None and reading.value is not MISSING:
            return reading
    return whole


def _of_loose(loose: Loose) -> TextReading:
    """Return the reading of loose JSON; without a value if it is no object or list, or names a key twice."""
    value, issues = read(loose.json) if loose.json is not None else (None, [None])
    if issues or not isinstance(value, dict | list):
        return TextReading(MISSING, loose.slips)
    return TextReading(value, loose.slips, loose.names)


def _sole_json_object(core: str) -> TextReading | None:
    """Return the only JSON object in a text, which may be there more than once, or next to `{}`."""
    objects = Objects(core)
    if not objects.values or not objects.are_same:
        return None
    before, after = objects.rest[0], objects.rest[-1]
    value, slips = objects.filled[0], list[Slip]()
    if len(objects.values) > 1:
        slips.append(Slip("repeated" if len(objects.filled) > 1 or not value else "empty object"))
    if any(part.strip(" \t\r\n,;") for part in objects.rest[1:-1]):
        return None
    if objects.is_whole:
        return _within(frames.around(before, after), TextReading(value, (*slips,)))
    if frames.is_bracket_too_many(before, after):
        return TextReading(value, (*slips, Slip("bracket")))
    cut, whole = "".join(after.split()), "".join(core[slice(*objects.spans[0])].split())
    is_repeated = len(cut) > 1 and cut.startswith("{") and whole.startswith(cut) and not before.strip()
    return TextReading(value, (Slip("repetition cut off"),)) if is_repeated else None


def _within(frame: Frame | None, reading: TextReading) -> TextReading | None:
    if frame is None:
        return None
    return _after((*map(Slip, frame.slips),), reading, frame.calls)._replace(label=frame.label)


def _without_braces(core: str) -> TextReading | None:
    """Return what members without the opening brace hold; without the closing one, there may be more of them."""
    if not starts_with_key(core):
        return None
    for kind, closing in (("no opening brace", ""), ("no braces", "}")):
        loose = read_loosely("{" + core + closing)
        if loose.end == len(core) + 1 + len(closing) and (reading := _of_loose(loose)).value is not MISSING:
            names = reading.names | {next(iter(reading.value), "")}
            return _after((Slip(kind),), reading._replace(names=names))
    return None
