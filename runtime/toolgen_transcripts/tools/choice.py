"""The tool choice of a request: which tools the model may or must call."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolgen_transcripts.codec.names import Codec
from toolgen_transcripts.codec.wire import Wire
from toolgen_transcripts.tools.definitions import ProviderDiagnostic

Choice = str | Sequence[str] | Mapping[str, Any]
"""A word, a tool's name, a list of names, `{"tool": name}`, or `{"tools": names, "mode": "required" or "auto"}`."""

WORDS: Final[Mapping[str, str]] = {
    "auto": "auto",
    "any": "required",
    "required": "required",
    "none": "none",
    "validated": "validated",
}
_WITHOUT_FORCE: Final[Mapping[str, str]] = {"required": "auto", "tool": "auto", "allowed": "allowed_auto"}
"""The choices that force a call, each with the one that replaces it while the model thinks."""


@dataclass(frozen=True, slots=True)
class ResolvedChoice:
    """A tool choice that the provider accepts.

    `word` is a key in `ToolShape.choices`, and `names` are the encoded names of its tools.
    """

    word: str
    names: tuple[str, ...] = ()
    losses: tuple[ProviderDiagnostic, ...] = ()


def read_choice(choice: Choice) -> tuple[str, tuple[str, ...]]:
    """Split a tool choice into a word (a key of `ToolShape.choices`) and the names of the tools."""
    if isinstance(choice, str):
        if choice in WORDS:
            return WORDS[choice], ()
        return "tool", (choice,)
    if isinstance(choice, Mapping):
        names = choice.get("tools")
        if names is None:
            return "tool", (choice.get("tool", ""),)
        mode = choice.get("mode", "required")
        if mode not in ("auto", "any", "required"):
            raise ValueError(f"choice: no mode {mode!r} of several tools; use 'required' or 'auto'")
    else:
        names, mode = choice, "required"
    given = tuple(dict.fromkeys(names))
    if not given:
        raise ValueError("choice: no tool in the list; use 'none' to forbid calls")
    if mode == "auto":
        return "allowed_auto", given
    if len(given) == 1:
        return "tool", given
    return "allowed", given


def resolve_choice(
    choice: Choice, tools: Collection[str], wire: Wire, *, thinking: bool, codec: Codec
) -> ResolvedChoice:
    """Return the tool choice in a form that the provider accepts, with everything that is lost.

    Raises:
        ValueError: the choice does not name a tool of the toolset, or names several and the provider takes only one.
    """
    word, names = read_choice(choice)
    for name in names:
        if name not in tools:
            known = ", ".join(sorted(tools)[:5])
            raise ValueError(
                f"choice: no tool named {name!r}; use 'auto', 'required', 'none' or one of the toolset's: {known}"
            )
    if word.startswith("allowed") and word not in wire.tools.choices:
        raise ValueError(
            f"choice: {wire.provider} cannot limit a choice to some of the tools; choose one tool or 'required', "
            "or pass only these tools"
        )
    why = code = ""
    if thinking and word in _WITHOUT_FORCE:
        why, code = "a call cannot be forced while thinking is on: sent as auto", "choice-thinking"
        word = _WITHOUT_FORCE[word]
    elif word in wire.tools.no_choice or (word == "validated" and word not in wire.tools.choices):
        why = f"{wire.provider} has no choice {word!r}: sent as auto"
        if word == "none":
            why += "; the tools stay, since a history with calls needs them: do not run a call that comes"
        word, code = "auto", "choice-unsupported"
    losses: tuple[ProviderDiagnostic, ...] = ()
    if why:
        losses = (ProviderDiagnostic(code, why, names[0] if len(names) == 1 else ""),)
    sent = () if word in WORDS.values() else names
    return ResolvedChoice(word, tuple(codec.encode_name(name) for name in sent), losses)
