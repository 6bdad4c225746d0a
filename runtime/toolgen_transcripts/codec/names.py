"""Encode names and ids in the form that a provider accepts.

The encoding is unique, reversible and deterministic, with one codec per request.

Providers limit the characters and the length of a name; a tool's name may be any string. `a.b` and `a_b` must not
both become `a_b`, and the name in a response must identify the tool. A name or id that the provider accepts is
sent unchanged. Any other is sent in one of two forms:

- escaped, `<text>--<check>`: each character except ASCII letters, digits and `_` as `-<hex>-`, then 30 bits of
  the original's SHA-256. It contains the original, so any codec can decode it. A legal name that already has
  this form with a valid check is escaped again, so no tool can take the name of another.
- digest, `<slug>--<130 bits>`, if the escaped form is too long: only the codec that wrote it, or a codec that
  knows the names (`Codec.reserve`), can decode it.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b32encode
from collections.abc import Iterable
from string import ascii_letters, digits
from typing import Any, Self

from toolgen_transcripts.codec.models import is_mistral
from toolgen_transcripts.codec.wire import Wire, WireRule, wire_of
from toolgen_transcripts.codec.wrapped import decode_input, encode_input
from toolgen_transcripts.strict.convert_arguments import SAME, Form

_CHECK = 6
_DIGEST = 26
_KEPT = frozenset(ascii_letters + digits + "_")
_MAY_START = frozenset(ascii_letters + "_")
_ALNUM = digits + ascii_letters
_ESCAPED = re.compile(rf"(?P<body>(?:[A-Za-z0-9_]|-[0-9a-f]{{1,6}}-)+)--(?P<check>[a-z2-7]{{{_CHECK}}})")
_ESCAPE = re.compile(r"-([0-9a-f]{1,6})-")


def _sha(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _base32(text: str, length: int) -> str:
    return b32encode(_sha(text)).decode("ascii").lower()[:length]


def _escape(text: str) -> str:
    parts = [c if c in _KEPT else f"-{ord(c):x}-" for c in text]
    if text[:1] not in _MAY_START:  # some providers require a letter or `_` first
        parts[:1] = [f"_-{ord(c):x}-" for c in text[:1]]
    return f"{''.join(parts)}--{_base32(text, _CHECK)}"


def _unescape(wire: str) -> str | None:
    """Return the original of an escaped name or id; None if `wire` is not escaped."""
    match = _ESCAPED.fullmatch(wire)
    if match is None:
        return None
    body = match["body"]
    for candidate in (body, body[1:]):
        codes = _ESCAPE.findall(candidate)
        if all(int(code, 16) < 0x110000 for code in codes):
            text = _ESCAPE.sub(lambda m: chr(int(m[1], 16)), candidate)
            if _escape(text) == wire:
                return text
    return None


def _digest(text: str, salt: int, rule: WireRule) -> str:
    salted = text
    if salt:
        salted = f"{text}\0{salt}"
    if rule.exact:
        number = int.from_bytes(_sha(salted)[:16], "big")
        return "".join(_ALNUM[number // 62**i % 62] for i in range(rule.max_length))
    tail = f"--{_base32(salted, _DIGEST)}"
    slug = "".join(c if c in _KEPT else "_" for c in text[: rule.max_length - len(tail)])
    return (slug if slug[:1] in _MAY_START else f"_{slug[1:]}") + tail


class _Table:
    """The names or the ids that a codec has encoded, as mappings in both directions."""

    def __init__(self, rule: WireRule) -> None:
        self.rule = rule
        self._wire: dict[str, str] = {}
        self._original: dict[str, str] = {}

    def _stays(self, text: str) -> bool:
        return self.rule.legal(text) and _unescape(text) is None and self._original.get(text, text) == text

    def _choose(self, text: str) -> str:
        if self._stays(text):
            return text
        escaped = _escape(text)
        if text and self.rule.legal(escaped) and escaped not in self._original:
            return escaped
        salt = 0
        while (wire := _digest(text, salt, self.rule)) in self._original:
            salt += 1
        return wire

    def encode(self, text: str) -> str:
        wire = self._wire.get(text)
        if wire is None:
            wire = self._wire[text] = self._choose(text)
            self._original[wire] = text
        return wire

    def reserve(self, texts: Iterable[str]) -> None:
        """Encode these texts in advance, valid ones first, so that no other text gets the same encoding."""
        for text in sorted(set(texts), key=lambda t: (not self._stays(t), t)):
            self.encode(text)

    def decode(self, wire: str) -> str:
        for original in (self._original.get(wire), _unescape(wire)):
            if original is not None:
                return original
        return wire


class Codec:
    """Converts the names and ids of one request to the provider's form and back.

    Use one codec for a request's tools, tool choice, history and response. Separate codecs give the same results,
    except for names that were chosen to collide. A codec also converts the arguments of strict tools (`strict="auto"`)
    back to the original schema. A codec changes while it is used, and is not thread-safe.
    """

    def __init__(self, names: WireRule, ids: WireRule) -> None:
        self._names = _Table(names)
        self._ids = _Table(ids)
        self._forms: dict[str, Form] = {}

    @property
    def id_rule(self) -> WireRule:
        """The rule for the call ids that the provider accepts."""
        return self._ids.rule

    def reserve(self, names: Iterable[str] = (), ids: Iterable[str] = ()) -> Self:
        """Reserve names and ids, so that others are not encoded to the same text.

        Legal ones will then be sent unchanged, and the digests of the others can be decoded.
        """
        self._names.reserve(names)
        self._ids.reserve(ids)
        return self

    def encode_name(self, name: str, namespace: str | None = None) -> str:
        """Return the name in the provider's form, without a prefix for the tool's namespace."""
        return self._names.encode(name.removeprefix(f"{namespace}.") if namespace else name)

    def decode_name(self, wire: str, namespace: str | None = None) -> str:
        """Return the tool's original name. A name that no codec has encoded is returned unchanged.

        A tool in a namespace is named `<namespace>.<name>`, so two namespaces may have tools with the same name. If the
        namespace equals the name, the tool is a function without a namespace that OpenAI's tool search has found.
        """
        name = self._names.decode(wire)
        if namespace and namespace != wire:
            return f"{namespace}.{name}"
        return name

    def encode_id(self, id: str) -> str:
        """Return the id in the provider's form."""
        return self._ids.encode(id)

    def decode_id(self, wire: str) -> str:
        """Return the call's original id. An id that no codec has encoded is returned unchanged."""
        return self._ids.decode(wire)

    def send_as(self, name: str, form: Form | None) -> None:
        """Set how a tool's payloads are converted before they are sent. None means that they are not
        converted.
        """
        self._forms.pop(name, None)
        if form is not None:
            self._forms[name] = form

    def encode_input(self, payload: Any, name: str | None = None) -> Any:
        """Convert a payload of the tool `name` to the form in which it is sent (see the function
        `encode_input`).
        """
        return self._forms.get(name or "", SAME).encode(encode_input(payload))

    def decode_input(self, sent: Any, name: str | None = None) -> Any:
        """Convert the arguments of a call to the tool `name` back to its payload (see the function
        `decode_input`).
        """
        return decode_input(self._forms.get(name or "", SAME).decode(sent))


def _itself(_: Codec, given: Any, of: str | None = None) -> Any:  # noqa: ARG001  the signature of a codec's methods
    return given


class RawCodec(Codec):
    """A codec that changes no names, ids or inputs, for a history that stays in the provider's form."""

    encode_name: Any = _itself
    decode_name: Any = _itself
    encode_id: Any = _itself
    decode_id: Any = _itself
    encode_input: Any = _itself
    decode_input: Any = _itself


MISTRAL_ID = WireRule(r"[A-Za-z0-9]+", 9, exact=True)
"""The only ids that Mistral models accept, on any service (`mistral-id`)."""


def id_rule_of(wire: Wire, model: str | None) -> WireRule:
    """Return the rule for the call ids that a provider, or the model behind it, accepts."""
    if is_mistral(model):
        return MISTRAL_ID
    return wire.id_rule


def codec_for(provider: str, names: Iterable[str] = (), *, model: str | None = None) -> Codec:
    """Create the codec for one request to a provider. Reserve these names of the toolset.

    Raises:
        KeyError: the provider is not known.
    """
    wire = wire_of(provider)
    return Codec(wire.name_rule, id_rule_of(wire, model)).reserve(names)
