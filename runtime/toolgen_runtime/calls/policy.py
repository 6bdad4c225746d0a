"""The settings and hooks of a registry (`Policy`), and the base class of objects that cannot be copied
(`OneProcess`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from toolgen_runtime.hints.recovery import MAX_CHARS as MAX_CHARS
from toolgen_runtime.validation.redaction import Secrets, fold_name

if TYPE_CHECKING:
    from toolgen_runtime.calls.hooks import OnCall, OnIssue
    from toolgen_runtime.calls.rules import Rules
    from toolgen_runtime.validation.tool import Tool

    Absent = Literal["empty", "reject"]
    """How arguments of `None` or `""` are treated: as `{}`, which some transports mean by them, or rejected."""
    Defaults = Literal["fill", "require"]
    """Whether a required field that was not sent gets the default of its schema, or is an issue."""
    Nulls = Literal["schema", "omit"]
    """How null for an optional field that does not take it is treated: as an issue, or left out."""
    UnknownKeys = Literal["note", "schema", "reject", "drop"]
    """How keys that the schema does not declare are treated: a note names the misspelled field, as the schema allows,
    as an issue, or left out if the call means the same without them."""
    CheckResults = Literal["note", "reject", "off"]
    """What becomes of a structured result that breaks the tool's output schema."""
    Repairs = Literal["tell", "silent"]
    """Whether the model reads what was repaired."""

CHOICES = {
    "absent": ("empty", "reject"),
    "defaults": ("fill", "require"),
    "nulls": ("schema", "omit"),
    "unknown_keys": ("note", "schema", "reject", "drop"),
    "check_results": ("note", "reject", "off"),
    "repairs": ("tell", "silent"),
}
"""The names of the values that each option accepts; the first is the default."""
_SETTINGS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "calls_per_turn": (lambda n: n is None or n >= 0, "must be 0 or more, or None for no limit"),
    "timeout": (lambda n: n is None or n > 0, "must be more than 0 seconds, or None for no limit"),
    "max_chars": (lambda n: n >= 1, "must be 1 or more"),
    "max_failures": (lambda n: n >= 1, "must be 1 or more"),
    **{name: (choices.__contains__, " or ".join(map(repr, choices))) for name, choices in CHOICES.items()},
}
"""The values that each setting accepts, as a test and in words."""


class OneProcess:
    """Base class of objects with locks, hooks and running calls. They can be shared, but not copied or
    pickled.
    """

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"a {type(self).__name__} cannot be copied or pickled: it has locks, hooks and calls under way; "
            "share it, or make another"
        )


class Policy:
    """The immutable settings of a registry. `Registry` explains each setting.

    `rules` are the repair rules that a user has defined, by tool. `secrets` are folded names, as
    `toolgen_runtime.validation.redaction.fold_name` returns them.
    """

    allow: frozenset[str] | None = None
    calls_per_turn: int | None = None
    timeout: float | None = None
    repair: bool = False
    repairs: Repairs = "tell"
    absent: Absent = "empty"
    defaults: Defaults = "fill"
    nulls: Nulls = "schema"
    unknown_keys: UnknownKeys = "note"
    max_chars: int = MAX_CHARS
    max_failures: int = 5
    check_results: CheckResults = "note"
    trust_annotations: bool = False
    ask: bool = False
    per_tool: Mapping[str, Mapping[str, Any]] = {}
    rules: Rules = {}  # noqa: RUF012  never changed
    on_call: OnCall | None = None
    on_issue: OnIssue | None = None
    secrets: frozenset[str] = frozenset()

    def __init__(self, **settings: Any) -> None:
        """Take the settings by name. Each setting that is not given has its default.

        Raises:
            TypeError: `per_tool` has an option that cannot be set for a single tool.
            ValueError: a setting is invalid; the message names it.
            ImportError: results should be checked, but `toolgen[dynamic]` is not installed.
        """
        if settings.get("allow") is not None:
            settings["allow"] = _names("allow", settings["allow"])
        settings["secrets"] = secret_keys(settings.get("secrets", ()))
        self._settings = settings
        vars(self).update(settings)
        for name, (is_valid, asked) in _SETTINGS.items():
            if not is_valid(getattr(self, name)):
                raise ValueError(f"{name}: {asked}, not {getattr(self, name)!r}")
        if settings.get("check_results", "off") != "off":
            from toolgen_runtime.dynamic import tools_of

            tools_of(())  # by default, results are checked only where this can be done
        self.of_tools: dict[str, Policy] = {}
        """The settings for single tools, by name."""
        for tool, own in dict(self.per_tool).items():
            refuse_unknown(f"per_tool: {tool!r}", own, PER_TOOL)
            self.of_tools[tool] = Policy(**{**settings, **own, "per_tool": {}})

    def changed(self, options: Mapping[str, Any]) -> Policy:
        """Return a copy with some settings replaced. `per_tool` is merged with the present value.

        Raises:
            ValueError: a setting is invalid.
        """
        if not options:
            return self
        joined = {**self.per_tool}
        for tool, own in dict(options.get("per_tool", {})).items():
            joined[tool] = {**joined.get(tool, {}), **own}
        return Policy(**{**self._settings, **options, "per_tool": joined})

    def allows(self, name: str) -> bool:
        """Return whether the tool with this name may be called."""
        return self.allow is None or name in self.allow

    def secrets_of(self, tool: Tool[Any]) -> Secrets | None:
        """Return the secrets that the schema or the setting `secrets` declares for a tool; None if neither
        declares any.
        """
        if not self.secrets:
            return tool.secrets
        return (tool.secrets or Secrets()).named(self.secrets)


PER_TOOL = frozenset((
    "absent", "ask", "check_results", "defaults", "max_chars", "max_failures", "nulls", "repair", "repairs", "timeout",
    "trust_annotations", "unknown_keys",
))  # fmt: skip
"""The options that can be set for a single tool."""
CALL_OPTIONS = (PER_TOOL - {"timeout"}) | {"per_tool"}
"""The options of a `Conversation`."""
OPTIONS = Policy.__annotations__.keys() - {"rules"}
"""The options of a `Registry`."""


def refuse_unknown(where: str, given: Iterable[str], known: Collection[str] = OPTIONS) -> None:
    """Raise an error if one of the given options does not exist.

    Args:
        where: the name of the function that received the options, for the message.
        given: the names of the given options.
        known: the names of all options that exist.

    Raises:
        TypeError: an option does not exist; the message suggests a similar one.
    """
    for name in given:
        if name not in known:
            from difflib import get_close_matches

            near = get_close_matches(name, known, 1)
            if near:
                meant = f"did you mean {near[0]!r}?"
            else:
                meant = f"there are {', '.join(sorted(known))}"
            raise TypeError(f"{where} has no option {name!r}; {meant}")


def reject_unsupported(
    where: str, given: Mapping[str, Any], unsupported: Mapping[str, tuple[Collection[Any], str]]
) -> None:
    """Raise an error for each option that cannot be used here, including options that are set for single
    tools.

    Args:
        where: the name of the function that received the options, for the message.
        given: the given options.
        unsupported: by option, the values that cannot be used here, and the reason.

    Raises:
        TypeError: an option has such a value; the message gives the reason.
    """
    for options in (given, *dict(given.get("per_tool") or {}).values()):
        for name, (values, why) in unsupported.items():
            if name in options and options[name] in values:
                raise TypeError(f"{where} cannot honor {name}={options[name]!r}: {why}")


def _names(option: str, names: Iterable[str]) -> frozenset[str]:
    """Return the names that an option lists. Reject a single string, because it would be read as a list of letters."""
    if isinstance(names, str):
        raise ValueError(f"{option}: must be a list of names, not a string; write [{names!r}]")
    return frozenset(names)


def secret_keys(secrets: Iterable[str]) -> frozenset[str]:
    """Return the keys whose values are masked, normalized by `fold_name`.

    Raises:
        ValueError: `secrets` is a single string, or a name has no letter or digit.
    """
    secrets = _names("secrets", secrets)
    if not all(isinstance(key, str) and fold_name(key) for key in secrets):
        raise ValueError("secrets: names must have at least one letter or digit")
    return frozenset(map(fold_name, secrets))
