"""Reading the tools that a provider's block defines: what all of them do alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from toolgen_runtime.providers.shared.messages.native import plain, text_or_none
from toolgen_runtime.providers.shared.messages.unread import unread
from toolgen_runtime.providers.shared.names import Codec, codec_for
from toolgen_runtime.providers.shared.tools.definitions import ProviderDiagnostic, ToolDefinition
from toolgen_runtime.providers.shared.tools.schemas import unwrapped_schema
from toolgen_runtime.providers.shared.wire import Wire
from toolgen_runtime.transcript.messages import CachePoint, Source


@dataclass(frozen=True, slots=True)
class NativeDefinition:
    """One definition in a block: `members` has the name and the description, `entry` is all of it,
    `unread` what of it was not taken although it might have been.
    """

    entry: Mapping[str, Any]
    members: Mapping[str, Any]
    schema: Any
    kind: str = "function"
    namespace: Mapping[str, Any] | None = None
    cache: CachePoint | None = None
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Undefined:
    """An entry of a block that defines no tool of the caller's: one that the provider runs itself."""

    kind: str
    entry: Mapping[str, Any]


Entries = Iterable[NativeDefinition | CachePoint | Undefined]


@dataclass(frozen=True, slots=True)
class DecodedTools:
    """The tools that a block defines, and a diagnostic for each entry that defines none.

    `others` are those entries; the provider itself can have them back.
    """

    definitions: list[ToolDefinition]
    diagnostics: tuple[ProviderDiagnostic, ...] = ()
    others: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class ToolDecoder:
    """`read_tools` and `decode_tools` of a provider: its facts, and how it finds the entries of a block.

    `normalize` gives a block of an older form as the API has it now.
    """

    wire: Wire
    entries: Callable[[list[Any]], Entries]
    normalize: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict

    def read_tools(self, block: Mapping[str, Any] | None, *, codec: Codec | None = None) -> DecodedTools:
        """Return the tools that a block defines; tools that the provider runs itself are a diagnostic each."""
        codec = codec or codec_for(self.wire.provider)
        definitions: list[ToolDefinition] = []
        diagnostics: list[ProviderDiagnostic] = []
        others: list[dict[str, Any]] = []
        listed = plain(self.normalize(block or {}).get("tools"))
        for entry in self.entries([tool for tool in listed or () if isinstance(tool, dict)]):
            if isinstance(entry, NativeDefinition):
                definitions.append(self._definition(entry, codec))
            elif isinstance(entry, CachePoint) and definitions:
                definitions[-1] = replace(definitions[-1], cache=entry)
            else:
                kind = entry.kind if isinstance(entry, Undefined) else "cache point"
                message = f"{kind} defines no tool of the caller's: only {self.wire.provider} knows it"
                diagnostics.append(ProviderDiagnostic("tool-dropped", message))
                if isinstance(entry, Undefined):
                    others.append(dict(entry.entry))
        return DecodedTools(definitions, tuple(diagnostics), tuple(others))

    def decode_tools(
        self, block: Mapping[str, Any] | None, *, codec: Codec | None = None
    ) -> list[ToolDefinition]:
        """Return the tools that a block defines; those that the provider runs itself define none."""
        return self.read_tools(block, codec=codec).definitions

    def _definition(self, found: NativeDefinition, codec: Codec) -> ToolDefinition:
        space = text_or_none(found.namespace.get("name")) if found.namespace else None
        reads = self.wire.tools.reads
        return ToolDefinition(
            codec.decode_name(str(found.members.get("name", "")), space),
            text_or_none(found.members.get("description")) or "",
            unwrapped_schema(found.schema),
            found.members.get("strict") is True,
            kind=found.kind,
            namespace=space,
            namespace_description=text_or_none((found.namespace or {}).get("description")) or "",
            cache=found.cache,
            source=Source(
                self.wire.provider, dict(found.entry), (*unread(found.entry, reads), *found.unread)
            ),
        )


def entry_kind(entry: Mapping[str, Any]) -> str:
    """Return what an entry is called: its type, or the name of its first member."""
    return text_or_none(entry.get("type")) or str(next(iter(entry), "an empty entry"))
