"""One tool with its check, its schema and its payload type (`Tool`).

Every generated tool loads this module when it is imported, so the module imports very little itself. pydantic is
imported with the first payload model, and `json` with the first schema or text.
"""

from __future__ import annotations

from toolgen_runtime.exports import ModuleObject
from toolgen_runtime.validation import json_text
from toolgen_runtime.validation.issues import InvalidPayload
from toolgen_runtime.validation.json_text import UnreadableText, count_colons, decode, has_keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Generic, TypeVar

    from toolgen_runtime.payloads.payload import Payload
    from toolgen_runtime.validation.issues import ValidationIssue
    from toolgen_runtime.validation.redaction import Secrets

    PayloadT_co = TypeVar("PayloadT_co", bound=Payload, covariant=True)
    Validate = Callable[[Any], list[ValidationIssue]]

    class _GenericTool(Generic[PayloadT_co]):
        __slots__ = ()
else:

    class _GenericTool:
        """Stands for `Tool[CreateIssuePayload]` at run time, without loading `typing`."""

        __slots__ = ()

        def __class_getitem__(cls, item: object) -> type:
            return cls


_COLON = ord(":")


class Tool(ModuleObject, _GenericTool["PayloadT_co"]):
    """One tool, with its `name`, `description` and `schema`, and the functions that check its payloads.

    `validate(payload) -> list[ValidationIssue]` is the generated check itself. It accepts any JSON value, returns every
    broken constraint, and never raises. `title`, `annotations`, `output_schema`, `icons` and `execution` come from the
    spec.
    """

    __slots__ = (
        "__weakref__",
        "_load_payload_type",
        "_loaded",
        "_metadata",
        "_schema_text",
        "_view",
        "count_keys",
        "description",
        "name",
        "secrets",
        "validate",
    )

    name: str
    description: str
    validate: Validate
    count_keys: Callable[[Any], int] | None
    """Counts the keys of a valid payload that the schema describes, for `validate_json`."""
    secrets: Secrets | None
    """The secrets of the schema, or None if it has none. `validate` masks secrets in its issues."""

    def __init__(
        self,
        *,
        name: str,
        description: str,
        schema: str,
        validate: Validate,
        payload_type: Callable[[], type[PayloadT_co]],
        count_keys: Callable[[Any], int] | None = None,
        secrets: Secrets | None = None,
        metadata: str = "",
    ) -> None:
        """`metadata` is a JSON object as text: `title`, `annotations`, `outputSchema`, `icons`, `execution`."""
        self.name = name
        self.description = description
        self.validate = validate
        self.count_keys = count_keys
        self.secrets = secrets
        self._schema_text = schema
        self._metadata = metadata
        self._load_payload_type = payload_type
        self._loaded: dict[str, type[PayloadT_co]] = {}
        self._view: Callable[[Any], PayloadT_co] | None = None

    @property
    def schema(self) -> dict[str, Any] | bool:
        """The input schema exactly as in the spec. Each access returns a new object."""
        import json

        schema: dict[str, Any] | bool = json.loads(self._schema_text)
        return schema

    @property
    def title(self) -> str | None:
        """The display name; None if the spec has none."""
        title: str | None = self._data("title") or self.annotations.get("title")
        return title

    @property
    def annotations(self) -> dict[str, Any]:
        """The tool's annotations, with the key names of the protocol (MCP, `ToolAnnotations`).

        Each access returns a new object.

        Rely on annotations only for servers that you trust (MCP 2025-11-25, server/tools, "Tool").
        """
        return self._data("annotations") or {}

    @property
    def output_schema(self) -> dict[str, Any] | bool | None:
        """The schema of structured results; None if the spec has none. Each access returns a new object."""
        schema: dict[str, Any] | bool | None = self._data("outputSchema")
        return schema

    @property
    def icons(self) -> list[dict[str, Any]]:
        """The tool's icons; empty if the spec has none. Each access returns a new object."""
        return self._data("icons") or []

    @property
    def execution(self) -> dict[str, Any]:
        """The tool's execution settings; empty if the spec has none. Each access returns a new object.

        `taskSupport` says whether a call must, may or must not run as a task (MCP 2025-11-25, `ToolExecution`).
        """
        return self._data("execution") or {}

    @property
    def repeatable(self) -> bool:
        """Whether a call may be repeated, because the tool's annotations say that it is read-only or
        idempotent.
        """
        annotations = self.annotations
        return annotations.get("readOnlyHint") is True or annotations.get("idempotentHint") is True

    def _data(self, key: str) -> Any:
        if not self._metadata:
            return None
        import json

        return json.loads(self._metadata).get(key)

    @property
    def payload_type(self) -> type[PayloadT_co]:
        """The pydantic class for valid payloads. It is created, and pydantic is imported, on first use."""
        loaded = self._loaded.get("payload_type")
        if loaded is None:  # No lock, because loading imports modules. The first one loaded wins.
            loaded = self._loaded.setdefault("payload_type", self._load_payload_type())
        return loaded

    def parse(self, payload: Any) -> PayloadT_co:
        """Check a payload, and return it as a typed object.

        Raises:
            InvalidPayload: the payload is invalid; `issues()` returns the reasons.
            pydantic.ValidationError: the payload is valid, but pydantic cannot represent it: it is nested deeper than
                about 250 levels, or a key is not a string.
        """
        validate, view = self.validate, self._view
        issues = validate(payload)
        if issues:
            raise InvalidPayload(self.name, issues)
        if view is None:
            return self._first_view(payload)
        return view(payload)

    def _first_view(self, payload: Any) -> PayloadT_co:
        payload_type = self.payload_type
        model = payload_type.from_checked(payload)
        self._view = payload_type.__toolgen_view__  # pydantic's own function: see benchmarks/speed/README.md
        return model

    def validate_json(self, text: str | bytes) -> list[ValidationIssue]:
        """Return the issues of a JSON text. Malformed text has a `json`, `truncated` or `duplicate_key`
        issue.

        A number that Python cannot represent is not an issue if the schema does not constrain the number.
        """
        validate = self.validate  # CPython specializes reading a slot, but not calling one.
        try:
            try:
                payload = (json_text.parse or json_text.load_parser())(
                    text, allow_inf_nan=False, cache_strings="keys"
                )
            except (ValueError, TypeError):
                return validate(decode(text))
            issues = validate(payload)
            count_keys = self.count_keys
            if not issues and count_keys is not None:
                keys = count_keys(payload)
                if type(text) is bytes:
                    colons = text.count(_COLON)
                else:
                    if type(text) is str:
                        colons = text.count(":")
                    else:
                        colons = count_colons(text)
                if keys == colons or has_keys(text, keys):
                    return issues
            confirmed = json_text.confirmed(text, payload)
        except UnreadableText as unreadable:
            return self._concealed(unreadable.issues)
        if confirmed is payload:
            return issues
        return validate(confirmed)

    def parse_json(self, text: str | bytes) -> PayloadT_co:
        """Check the JSON text of a payload, and return it as a typed object.

        Raises:
            InvalidPayload: the text is not JSON, or the payload is invalid.
        """
        try:
            payload = decode(text)
        except UnreadableText as unreadable:
            raise InvalidPayload(self.name, self._concealed(unreadable.issues)) from None
        return self.parse(payload)

    def with_secrets(self, secrets: Secrets) -> Tool[PayloadT_co]:
        """Return a copy that treats more values as secret than its schema declares, and masks them in issues
        and hints.
        """
        check = self.validate

        def validate(payload: Any) -> list[ValidationIssue]:
            return secrets.conceal(check(payload), payload)

        tool = self.with_check(validate)
        tool.secrets = secrets
        tool.count_keys = self.count_keys
        return tool

    def with_check(self, validate: Validate) -> Tool[PayloadT_co]:
        """Return a copy that uses another check, for a caller that accepts more than the schema does."""
        return Tool(
            name=self.name,
            description=self.description,
            schema=self._schema_text,
            validate=validate,
            payload_type=self._load_payload_type,
            secrets=self.secrets,
            metadata=self._metadata,
        )

    def _place(self) -> tuple[str, str]:
        return self.validate.__module__, "tool"

    def _concealed(self, issues: list[ValidationIssue]) -> list[ValidationIssue]:
        if self.secrets is None:
            return issues
        return self.secrets.conceal(issues)

    def __repr__(self) -> str:
        return f"Tool({self.name!r})"
