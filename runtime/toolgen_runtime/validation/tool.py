"""`Tool`: one tool's check, schema and payload type; `Toolset`: the tools of one generated package.

Every generated package loads this module at import, so it imports very little itself: pydantic is imported with the
first payload model, `json` with the first schema or text.
"""

from __future__ import annotations

import sys
from _collections_abc import Mapping  # as in `collections.abc`, without loading `collections`

from toolgen_runtime.exports import imported
from toolgen_runtime.validation import json_text
from toolgen_runtime.validation.issues import InvalidPayload
from toolgen_runtime.validation.json_text import UnreadableText, count_colons, decode, has_keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, Generic, Self, TypeVar

    from toolgen_runtime.payloads.payload import Payload
    from toolgen_runtime.validation.issues import ValidationIssue
    from toolgen_runtime.validation.redaction import Secrets

    PayloadT_co = TypeVar("PayloadT_co", bound=Payload, covariant=True)
    Validate = Callable[[Any], list[ValidationIssue]]

    class _GenericTool(Generic[PayloadT_co]):
        __slots__ = ()
else:

    class _GenericTool:
        """`Tool[CreateIssuePayload]` at run time, without loading `typing`."""

        __slots__ = ()

        def __class_getitem__(cls, item: object) -> type:
            return cls


_COLON = ord(":")


class _Shared:
    """What a generated module holds once: copies are the object itself, and a pickle is the module's name."""

    __slots__ = ()

    def _place(self) -> tuple[str, str]:
        """Return the module that holds this object, and the name that it has there."""
        raise NotImplementedError

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        module, name = self._place()
        if getattr(sys.modules.get(module), name, None) is self:
            return imported, (module, name)
        raise TypeError(
            f"{self!r} is not in a generated package, so it cannot be pickled: "
            "compile its specs again where it is needed, or build a package of them"
        )


class Tool(_Shared, _GenericTool["PayloadT_co"]):
    """One tool: `name`, `description`, `schema`, and the checks of its payloads.

    `validate(payload) -> list[ValidationIssue]` is the generated check itself. It takes any JSON value, returns
    every broken constraint, and never raises. `title`, `annotations`, `output_schema`, `icons` and `execution` are
    data, as the spec has them: nothing is checked by them unless it is asked for.
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
    """Counts the keys of a valid payload that the schema describes; for `validate_json`."""
    secrets: Secrets | None
    """The secrets of the schema; None if it has none. `validate` already conceals them in its issues."""

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
        """`metadata` is the JSON text of an object: `title`, `annotations`, `outputSchema`, `icons`, `execution`."""
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
        """The input schema exactly as in the spec; a new object at every access."""
        import json

        schema: dict[str, Any] | bool = json.loads(self._schema_text)
        return schema

    @property
    def title(self) -> str | None:
        """The name for people to read; None where the spec has none."""
        title: str | None = self._data("title") or self.annotations.get("title")
        return title

    @property
    def annotations(self) -> dict[str, Any]:
        """What the tool says of itself (MCP, `ToolAnnotations`), its keys in the protocol's spelling; a new object.

        Only a server that is trusted is to be believed (MCP 2025-11-25, server/tools, "Tool").
        """
        return self._data("annotations") or {}

    @property
    def output_schema(self) -> dict[str, Any] | bool | None:
        """The schema of structured results, a new object; None where the spec has none."""
        schema: dict[str, Any] | bool | None = self._data("outputSchema")
        return schema

    @property
    def icons(self) -> list[dict[str, Any]]:
        """The icons for people to see, a new object; empty where the spec has none."""
        return self._data("icons") or []

    @property
    def execution(self) -> dict[str, Any]:
        """How the tool wants to be run, a new object, empty where the spec does not say.

        Its `taskSupport` says whether a call may, must or must not be a task (MCP 2025-11-25, `ToolExecution`).
        """
        return self._data("execution") or {}

    @property
    def repeatable(self) -> bool:
        """Whether the tool says that a call may be made twice: that it only reads, or is idempotent."""
        annotations = self.annotations
        return annotations.get("readOnlyHint") is True or annotations.get("idempotentHint") is True

    def _data(self, key: str) -> Any:
        if not self._metadata:
            return None
        import json

        return json.loads(self._metadata).get(key)

    @property
    def payload_type(self) -> type[PayloadT_co]:
        """The pydantic class of a valid payload, the same for all threads; imports pydantic on first use."""
        loaded = self._loaded.get("payload_type")
        if loaded is None:  # No lock, because loading imports modules. The first one loaded wins.
            loaded = self._loaded.setdefault("payload_type", self._load_payload_type())
        return loaded

    def parse(self, payload: Any) -> PayloadT_co:
        """Return the typed view of a payload.

        Raises:
            InvalidPayload: the payload is invalid; `issues()` says why.
            pydantic.ValidationError: the payload is valid, but nested too deeply for pydantic (about 250 levels).
        """
        validate, view = self.validate, self._view
        issues = validate(payload)
        if issues:
            raise InvalidPayload(self.name, issues)
        return self._first_view(payload) if view is None else view(payload)

    def _first_view(self, payload: Any) -> PayloadT_co:
        payload_type = self.payload_type
        model = payload_type.from_checked(payload)
        self._view = payload_type.__toolgen_view__  # pydantic's own function: see docs/speed.md
        return model

    def validate_json(self, text: str | bytes) -> list[ValidationIssue]:
        """Return the issues of a JSON text; malformed text has `json`, `truncated` or `duplicate_key` issues.

        A number that Python cannot represent is not an issue if the schema has no constraint for it.
        """
        validate = self.validate  # CPython specializes reading a slot, but not calling one.
        try:
            try:
                payload = (json_text.parse or json_text.load_parser())(text, allow_inf_nan=False)
            except (ValueError, TypeError):
                return validate(decode(text))
            issues = validate(payload)
            count_keys = self.count_keys
            if not issues and count_keys is not None:
                keys = count_keys(payload)
                if type(text) is bytes:
                    colons = text.count(_COLON)
                else:
                    colons = text.count(":") if type(text) is str else count_colons(text)
                if keys == colons or has_keys(text, keys):
                    return issues
            confirmed = json_text.confirmed(text, payload)
        except UnreadableText as unreadable:
            return self._concealed(unreadable.issues)
        return issues if confirmed is payload else validate(confirmed)

    def parse_json(self, text: str | bytes) -> PayloadT_co:
        """Return the typed view of a JSON text.

        Raises:
            InvalidPayload: the text is not JSON, or the payload is invalid.
        """
        try:
            payload = decode(text)
        except UnreadableText as unreadable:
            raise InvalidPayload(self.name, self._concealed(unreadable.issues)) from None
        return self.parse(payload)

    def _place(self) -> tuple[str, str]:
        return self.validate.__module__, "tool"

    def _concealed(self, issues: list[ValidationIssue]) -> list[ValidationIssue]:
        return issues if self.secrets is None else self.secrets.conceal(issues)

    def __repr__(self) -> str:
        return f"Tool({self.name!r})"


class UnknownNameError(KeyError):
    """A name that is not there; its text has the names that come near, which are looked for when it is shown."""

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        super().__init__(name)
        self._kind = kind
        self._known = known

    def __str__(self) -> str:
        from toolgen_runtime.hints.similar_names import likeness, nearest

        name, known = self.args[0], list(self._known)
        near = (
            [n for n in nearest(name, known, 3) if likeness(name, n) is not None] if type(name) is str else []
        )
        asked = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        return f"there is no {self._kind} {name!r}{asked}"

    def __reduce__(self) -> tuple[Any, ...]:
        return UnknownNameError, (self._kind, self.args[0], list(self._known))


class Toolset(_Shared, Mapping["str", "Tool[Payload]"]):
    """The tools of one generated package by name; a tool's module is loaded when the tool is first used.

    Every access to a name returns the same `Tool`, in all threads.
    """

    __slots__ = ("__weakref__", "_load", "_modules", "_tools", "package")

    def __init__(
        self,
        package: str,
        modules: Mapping[str, str],
        load: Callable[[str], Tool[Payload]] | None = None,
    ) -> None:
        """Make a toolset; `modules` maps each tool to its module in `package`, `load` returns a module's tool."""
        self.package = package
        self._modules = modules
        self._tools: dict[str, Tool[Payload]] = {}
        self._load = load or self._import

    def _import(self, module: str) -> Tool[Payload]:
        tool: Tool[Payload] = imported(f"{self.package}.{module}", "tool")
        return tool

    def __getitem__(self, name: str) -> Tool[Payload]:
        tool = self._tools.get(name)
        if tool is None:
            module = self._modules.get(name)
            if module is None:
                raise UnknownNameError("tool", name, self._modules)
            tool = self._tools.setdefault(name, self._load(module))
        return tool

    def __contains__(self, name: object) -> bool:
        return name in self._modules

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)

    def _place(self) -> tuple[str, str]:
        return self.package, "toolset"

    def __repr__(self) -> str:
        return f"Toolset({self.package!r}, {len(self)} tools)"


class Toolsets(_Shared, Mapping["str", "Toolset"]):
    """The toolsets of a package built with `--namespace`, by the stems of their spec files."""

    __slots__ = ("__weakref__", "_packages", "package")

    def __init__(self, package: str, packages: Mapping[str, str]) -> None:
        """Make the mapping; `packages` maps each stem to the subpackage of its toolset."""
        self.package = package
        self._packages = packages

    def __getitem__(self, stem: str) -> Toolset:
        package = self._packages.get(stem)
        if package is None:
            raise UnknownNameError("toolset", stem, self._packages)
        toolset: Toolset = imported(f"{self.package}.{package}", "toolset")
        return toolset

    def __contains__(self, stem: object) -> bool:
        return stem in self._packages

    def __iter__(self) -> Iterator[str]:
        return iter(self._packages)

    def __len__(self) -> int:
        return len(self._packages)

    def _place(self) -> tuple[str, str]:
        return self.package, "toolsets"

    def __repr__(self) -> str:
        return f"Toolsets({self.package!r}, {len(self)} toolsets)"
