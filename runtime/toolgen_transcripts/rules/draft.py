"""The history of a request while it is checked and repaired.

It collects the violations that `check` finds and the changes that `repair` makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property, partial, wraps

from toolgen_transcripts.codec.members import Native
from toolgen_transcripts.codec.names import Codec
from toolgen_transcripts.messages import Block, Role, Text, Turn
from toolgen_transcripts.rules.native_tools import NativeTool, native_tools
from toolgen_transcripts.rules.request import Request, Unset, Violation, known_ids
from toolgen_transcripts.rules.rule import Rule


@dataclass(frozen=True, slots=True)
class Change:
    """One change that `repair` made: the rule's number and name, the place in the messages, the action and
    the ids.
    """

    rule: int
    place: str
    action: str
    ids: tuple[str, ...] = ()
    slug: str = ""


@dataclass(slots=True, eq=False)
class Entry:
    """A turn, with its index in the original history."""

    turn: Turn
    origin: int


@dataclass(frozen=True, slots=True)
class Spot:
    """The position of a block: its entry, and its index there."""

    entry: Entry
    index: int


Where = Entry | Spot | str
"""The place of a violation or change: a message, a block, or the place itself."""


class Draft:
    """A request while it is repaired. Rules change its entries in place."""

    def __init__(self, request: Request, codec: Codec | None = None) -> None:
        self.read(request)
        self.changes: list[Change] = []
        self.found: list[Violation] = []
        self._codec = codec

    def read(self, request: Request) -> None:
        """Create a draft with the turns of a request."""
        self.request = request
        self._tools: Native | None = None
        self.entries = [Entry(turn, index) for index, turn in enumerate(request.turns)]

    def tools_block(self) -> Native:
        """Return a copy of the request's tools that a repair may change in place.

        Return `{}` if there are no tools or they are unknown.
        """
        given = self.request.tools
        if isinstance(given, Unset) or not given or not given.get("tools"):
            return {}
        if self._tools is None or self._tools is not given:
            self._tools = deepcopy(dict(given))
            self.request = replace(self.request, tools=self._tools)
        return self._tools

    def tools(self) -> Iterator[NativeTool]:
        """Yield the tools that the caller runs. A repair may change them in place."""
        return native_tools(self.tools_block(), self.request.wire.tools)

    @cached_property
    def names(self) -> Codec:
        """The codec that encodes names."""
        return self._codec or Codec(self.request.wire.name_rule, self.request.id_rule)

    @cached_property
    def ids(self) -> Codec:
        """The codec that encodes ids."""
        if self.names.id_rule == self.request.id_rule:
            return self.names
        return Codec(self.request.wire.name_rule, self.request.id_rule)

    def find(
        self,
        rule: Rule,
        where: Where,
        *ids: str | None,
        detail: str = "",
        wording: str = "",
    ) -> None:
        """Record a violation. Its place refers to the original messages.

        After changes, `repair` searches again for those that remain.
        """
        self.found.append(self.request.broken(rule, self.place(where), ids, detail, wording=wording))

    def fix(
        self,
        rule: Rule,
        where: Where,
        action: str,
        *ids: str | None,
        place: str = "",
        detail: str = "",
        wording: str = "",
    ) -> None:
        """Record a violation and the change that fixes it. `place` is set if the two are in different places."""
        self.find(rule, place or where, *ids, detail=detail, wording=wording)
        self.note(rule, where, action, *ids)

    def note(self, rule: Rule, where: Where, action: str, *ids: str | None) -> None:
        """Record a change to a message or to another part of the request."""
        if isinstance(where, Spot):
            where = where.entry
        self.changes.append(Change(rule.number, self.place(where), action, known_ids(ids), rule.slug))

    def place(self, where: Where) -> str:
        """Return the place of a message or block as text. A text is returned unchanged."""
        if isinstance(where, Spot):
            return self.request.place(where.entry.origin, where.index)
        if isinstance(where, Entry):
            return self.request.place(where.origin)
        return where

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns, with all changes so far."""
        return tuple(e.turn for e in self.entries)

    def put(self, entry: Entry, blocks: Sequence[Block]) -> None:
        """Replace the blocks of an entry if the new blocks differ."""
        if tuple(map(id, blocks)) != tuple(map(id, entry.turn.blocks)):
            entry.turn = replace(entry.turn, blocks=tuple(blocks))

    def each(self, change: Callable[[Spot, Block], Block | None]) -> None:
        """Replace every block with what a function returns for it.

        If the result is None, the block is removed. Turns that become empty are removed too.
        """
        changed = []
        for entry in self.entries:
            made = [change(at, block) for at, block in located([entry])]
            kept = [block for block in made if block is not None]
            if len(kept) < len(made):
                changed.append(entry)
            self.put(entry, kept)
        self.drop_emptied(changed)

    def insert_after(self, new: Mapping[Entry | None, Sequence[Entry]]) -> None:
        """Insert new entries after existing ones. New entries with the key None go to the beginning."""
        entries = list(new.get(None, ()))
        for entry in self.entries:
            entries += (entry, *new.get(entry, ()))
        self.entries = entries

    def join(
        self, runs: Iterable[Sequence[Entry]], rule: Rule, action: str, *, is_known: bool = False
    ) -> None:
        """Merge each run of entries into its first entry. With `is_known`, only the changes are recorded."""
        gone: set[Entry] = set()
        for first, *others in runs:
            if others:
                blocks = tuple(b for e in (first, *others) for b in e.turn.blocks)
                first.turn = replace(first.turn, blocks=blocks)
            for entry in others:
                if not is_known:
                    self.find(rule, entry)
                self.note(rule, entry, action)
            gone.update(others)
        self.entries = [e for e in self.entries if e not in gone]

    def drop_emptied(self, entries: Iterable[Entry]) -> None:
        """Of the given entries, remove those that have no blocks."""
        gone = {e for e in entries if not e.turn.blocks}
        self.entries = [e for e in self.entries if e not in gone]


def located(entries: Iterable[Entry]) -> Iterator[tuple[Spot, Block]]:
    """Yield every block of the entries with its position."""
    for entry in entries:
        for index, block in enumerate(entry.turn.blocks):
            yield Spot(entry, index), block


def each_block(change: Callable[[Draft, Spot, Block], Block | None]) -> Callable[[Draft], None]:
    """Turn a function that repairs one block into a function that repairs all blocks of a draft (see
    `Draft.each`).
    """
    return wraps(change)(lambda draft: draft.each(partial(change, draft)))


def made(role: Role, origin: int, *blocks: Block | str) -> Entry:
    """Create an entry for a new turn that belongs to the original turn with the index `origin`."""
    return Entry(Turn(role, tuple(Text(b) if isinstance(b, str) else b for b in blocks)), origin)
