"""Strict reading of responses: every member is there and of its type, or one error names its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn, TypedDict, TypeVar

from toolgen_runtime.jsontext import read
from toolgen_runtime.providers.codec import WireRule, decode_input
from toolgen_runtime.providers.errors import ProviderResponseError


class ToolUseBlock(TypedDict):
    """One call of a response. `name` is the tool's own; `input` the payload, an object for most tools."""

    id: str
    name: str
    input: Any


class UnnumberedToolUse(TypedDict):
    """One call where the API need not number it: `id` is None where the provider sent none."""

    id: str | None
    name: str
    input: Any


_T = TypeVar("_T")
_KINDS = {
    dict: "an object",
    list: "an array",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
}


def described(value: object) -> str:
    """What kind of thing a value is, without showing it."""
    return "null" if value is None else _KINDS.get(type(value), type(value).__name__)


class Reader:
    """Reads members of one response and raises `error` with the response at the first that is not right."""

    def __init__(self, response: object, error: type[ProviderResponseError]) -> None:
        self.response = response
        self.error = error
        self._ids: dict[str, str] = {}

    def fail(self, field: str, message: str) -> NoReturn:
        """Raise the error for a place."""
        raise self.error(message, self.response, field)

    def root(self) -> dict[str, Any]:
        """The response itself: a dict, or an SDK's pydantic object."""
        if isinstance(self.response, dict):
            return self.response
        dump = getattr(self.response, "model_dump", None)
        if dump is None:
            self.fail("", f"expected a dict, got {described(self.response)}")
        dumped: dict[str, Any] = dump(by_alias=True, warnings=False)
        return dumped

    def as_kind(self, value: object, kind: type[_T], field: str) -> _T:
        """The value, which must be of this type."""
        if not isinstance(value, kind):
            self.fail(field, f"expected {_KINDS[kind]}, got {described(value)}")
        return value

    def member(self, parent: Mapping[str, Any], key: str, kind: type[_T], at: str) -> _T:
        """A member that must be there, of this type; a text must not be empty."""
        field = f"{at}.{key}" if at else key
        if key not in parent:
            self.fail(field, "absent")
        value = self.as_kind(parent[key], kind, field)
        if value == "":
            self.fail(field, "empty")
        return value

    def blocks(self, parent: Mapping[str, Any], key: str, at: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """The objects of a member that must be a list of them, each with its place."""
        field = f"{at}.{key}" if at else key
        for index, block in enumerate(self.member(parent, key, list, at)):
            here = f"{field}[{index}]"
            yield here, self.as_kind(block, dict, here)

    def id(self, parent: Mapping[str, Any], key: str, at: str, rule: WireRule) -> str:
        """A call's id: there, a text, within the provider's rule, and not seen before in this response."""
        value = self.member(parent, key, str, at)
        field = f"{at}.{key}"
        if len(value) > rule.max_length:
            self.fail(field, f"{len(value)} characters long, at most {rule.max_length} are allowed")
        if not rule.legal(value):
            self.fail(field, f"has characters outside {rule.pattern}")
        if value in self._ids:
            self.fail(field, f"the same id as {self._ids[value]}")
        self._ids[value] = field
        return value

    def payload(self, parent: Mapping[str, Any], key: str, at: str) -> Any:
        """The payload in a member that must be an object."""
        return decode_input(self.member(parent, key, dict, at))

    def payload_text(self, parent: Mapping[str, Any], key: str, at: str) -> Any:
        """The payload in a member that must be the JSON text of an object; the empty text is `{}`."""
        if parent.get(key) == "":
            return {}
        value, issues = read(self.member(parent, key, str, at))
        if issues:
            self.fail(f"{at}.{key}", f"not a JSON object ({issues[0].constraint}: {issues[0].expected})")
        return decode_input(self.as_kind(value, dict, f"{at}.{key}"))

    def whole(
        self, stop: object, field: str, *, cut: frozenset[str], malformed: frozenset[str], calls: bool
    ) -> None:
        """Fail if the response stopped in a way that leaves its calls malformed or possibly cut."""
        if isinstance(stop, str) and stop in malformed:
            self.fail(field, f"the model's output was malformed ({stop})")
        if calls and isinstance(stop, str) and stop in cut:
            self.fail(field, f"stopped early ({stop}): its calls may be cut, none of them may be run")
