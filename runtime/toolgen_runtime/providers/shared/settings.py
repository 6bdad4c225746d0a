"""What a request says beside its messages and tools, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from toolgen_runtime.providers.shared.shapes import Native, Path


@dataclass(frozen=True, slots=True)
class RequestShape:
    """What a whole request says beside its messages and its tools, by the names of its members.

    `merged` are members whose own members count as the request's (google-genai's `config`); `spelling` gives a
    member's name as the API has it. `model_key` has the model's id. `tool_keys` are the members that make up the
    tools block where the block has no member of its own. `thinking_paths` lead to the word that switches thinking on
    or off.

    A cache point is a block with `cache_block`, or any block, tool or request with `cache_member`.

    With one of `state_keys`, or an item of one of `state_types`, the server has a part of the history itself.
    `store_key` says whether it is to store the answer.

    `paths` lead to the settings that every API names in its own way; `read_as` are other names for them that are
    read. `tokens_required` says that a request must have a limit. `normalize` gives a request as the API itself has
    it, from whatever form the SDK takes.
    """

    merged: tuple[str, ...] = ()
    spelling: Callable[[object], str] = str
    model_key: str = "model"
    tool_keys: tuple[str, ...] = ("tools", "tool_choice")
    thinking_paths: tuple[Path, ...] = (("thinking", "type"),)
    cache_block: str = ""
    cache_member: str = ""
    state_keys: tuple[str, ...] = ()
    state_types: frozenset[str] = frozenset()
    store_key: str = ""
    paths: Mapping[str, Path] = field(default_factory=dict)
    read_as: Mapping[Path, str] = field(default_factory=dict)
    tokens_required: bool = False
    normalize: Callable[[Native], Native] = dict


def under(*holder: str, same: str = "", **named: str) -> dict[str, Path]:
    """Return the paths of settings in an object of the request, those of one name (`same`) and those of others."""
    return {key: (*holder, name) for key, name in ({word: word for word in same.split()} | named).items()}
