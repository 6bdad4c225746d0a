"""Find the tool that a model means when it calls a name that does not exist.

The name may have other separators, the prefix of a server, or a wrapper.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from toolgen_runtime.hints.names import (
    conditions,
    fellows,
    likeness,
    parts_of,
    word_set,
    words_of,
)
from toolgen_runtime.hints.same_spelling import same_words
from toolgen_runtime.schema.spelling import MAX_COMPARED_NAME, fold

MAX_NAMES = 5
"""The most names that a hint lists."""
MAX_CALLED = 300
"""The most characters of a name that are compared."""
MAX_ABOUT = 1_000
"""The most characters of a description that are searched for a server's name."""
_REST = re.compile(r"[({\[<].*", re.DOTALL)
"""What models write after a name: arguments, tags, `<|channel|>commentary`."""
_WRAPPER = re.compile(r"(?:to=)?(?:functions?|default_api|tools?|mcp)(?:__|[.:/])", re.IGNORECASE)
"""A prefix that belongs to a prompt format or a client, not to a server."""
_FORMAT = re.compile(r"(?:to=)?(?:functions?|default_api)[.:]", re.IGNORECASE)
"""Those that come before any name."""
_SERVER = re.compile(r"(?:.*(?:__|[.:/]))?", re.DOTALL)
"""A name up to the end of its last prefix; a single underscore is part of a name."""
_MARKS = re.compile(r"[.:/]+")
"""Marks that separate words in the names of some clients, like underscores."""
_PLAIN = re.compile(r"[\w.:/\s-]*(?:\(\)|<\|[\w|<>]*)?|to=[\w.]*")
"""Names without characters that may mean something else."""
_OPPOSITES = fellows(
    "create delete|create remove|create destroy|add remove|add delete|insert delete|set unset|set clear|set get"
    "|read write|get put|get delete|start stop|open close|enable disable|lock unlock|grant revoke|allow deny"
    "|allow block|approve reject|accept reject|accept decline|attach detach|mount unmount|push pull|import export"
    "|upload download|encrypt decrypt|increase decrease|login logout|buy sell|send receive|join leave|show hide"
    "|connect disconnect|assign revoke|play pause|play stop|merge split|archive restore|backup restore|up down|on off"
)
_REVERSING = ("un", "de", "dis", "re", "non", "in")
"""Prefixes that make another verb of a verb: `unlock`, `reopen`."""
_VERBS = word_set(" ".join(_OPPOSITES)) | word_set(
    "list search find fetch query update edit patch modify move copy rename run call execute cancel close check"
)
_GROUPS = (
    "get fetch retrieve load view",
    "list enumerate",
    "search find query lookup",
    "create new make",
    "delete remove erase destroy",
    "update edit modify change patch",
    "run execute exec invoke",
    "file document",
    "directory folder dir",
)
SYNONYMS = {word: group.split()[0] for group in _GROUPS for word in group.split()}
"""The first synonym of each word."""


class Meant(NamedTuple):
    """The tools that an unknown name may mean, the most likely first.

    `is_close` is true if the name is a spelling of one of them.
    """

    names: list[str]
    is_close: bool


def tools_meant(name: str, known: Sequence[str]) -> Meant:
    """Return the tools that an unknown name may mean.

    If it is not a spelling of any tool, return the tools with the most similar names.

    A tool that does the opposite is returned only if there are so few tools that all of them are listed.

    >>> tools_meant("functions.getIssue", ["get_issue", "get_issues"])
    Meant(names=['get_issue'], is_close=True)
    >>> tools_meant("create_issue", ["delete_issue", "close_issue", "get_issue"]).is_close
    False
    """
    name = name[:MAX_CALLED]
    others = [tool for tool in known if not _opposed(name, tool)]
    apart = {tool: rank for tool in others if (rank := _distance(name, tool)) is not None}
    if apart:
        nearest = min(apart.values())
        return Meant([tool for tool, rank in apart.items() if rank == nearest][:MAX_NAMES], is_close=True)
    if len(known) <= MAX_NAMES:
        listed = known
    else:
        listed = []
    return Meant([*dict.fromkeys([*_most_similar(name, others), *listed])][:MAX_NAMES], is_close=False)


def only_meaning(name: str, known: Sequence[str], about: Callable[[str], str]) -> str | None:
    """Return the only tool that an unknown name can mean; None if there is none or more than one.

    The following differences are allowed: case, separators, a wrapper such as `functions.`, a missing server prefix if
    at least two words follow it, and an extra server prefix if `about`, which returns the tool's description, mentions
    the server.
    """
    written = name.strip()
    if not fold(written) or len(written) > MAX_CALLED or _PLAIN.fullmatch(written) is None:
        return None
    for same in (_is_same, _is_same_without_wrapper, _lacks_server):
        found = [tool for tool in known if same(written, tool)]
        if found:
            if len(found) == 1:
                return found[0]
            return None
    server, own = _split(_REST.sub("", written))
    found = [tool for tool in known if own and _is_same(own, tool)]
    if len(found) != 1 or not server or conditions(server):
        return None
    text = f"{found[0]} {about(found[0])}"[:MAX_ABOUT].lower()
    named = all(re.search(rf"(?<![a-z0-9]){word}(?![a-z0-9])", text) for word in _spelt(server))
    if named:
        return found[0]
    return None


def _is_same(name: str, tool: str) -> bool:
    """Return whether two names have the same words.

    A separator or the case of a letter may make another name: `re_lease_ip`, `set_power_mW`.
    """
    bare, own = (_MARKS.sub("_", each).strip("_") for each in (name, tool))
    return bare == own or same_words(bare, own)


def _is_same_without_wrapper(name: str, tool: str) -> bool:
    bare = _bare(name)
    if len(words_of(bare)) == 1:  # `tools/list` and `create_tool` may be about tools
        return _is_same(_FORMAT.sub("", _REST.sub("", name.strip())), tool)
    return _is_same(bare, _bare(tool))


def _lacks_server(name: str, tool: str) -> bool:
    server, own = _split(tool)
    return bool(server) and len(words_of(own)) > 1 and _is_same(own, _bare(name))


@lru_cache(maxsize=4096)
def _bare(name: str) -> str:
    """Return a name without wrappers and without the text that models sometimes write after it."""
    bare = _REST.sub("", name[:MAX_CALLED].strip())
    while (wrapper := _WRAPPER.match(bare)) is not None and fold(bare[wrapper.end() :]):
        bare = bare[wrapper.end() :]
    without = re.sub(r"[_.-]?tool$|(?<=[a-z])Tool$", "", bare)
    if fold(without):
        return without
    return bare


def _split(name: str) -> tuple[str, str]:
    """Return the server prefix of a name, and the rest of the name."""
    server = _SERVER.match(bare := _bare(name))
    if server is None:
        end = 0
    else:
        end = server.end()
    return bare[:end], bare[end:]


def _distance(name: str, tool: str) -> tuple[int, int, int] | None:
    """Return how far a name is from being a spelling of a tool's name; None if it is too far.

    The first number says how they differ. The others count the words and plurals that differ.
    """
    if _is_same(name, tool) or _is_same_without_wrapper(name, tool):
        return int(not _is_same(name, tool)), 0, 0
    called, own = words_of(_bare(name)), words_of(_bare(tool))
    way = _way(called, own)
    if way is None and words_of(_split(name)[1]) == words_of(_split(tool)[1]) != ():
        way = 7  # another server
    if way is None:
        return _misspelt(name, tool)
    return way, abs(len(called) - len(own)), len({*_spelt(tool)} - {*_spelt(name)})


def _way(called: tuple[str, ...], own: tuple[str, ...]) -> int | None:
    """Return a number for the way in which two names' words correspond; None if they do not.

    The surest way has the lowest number.
    """
    if not called or not own:
        return None
    if sorted(called) == sorted(own):
        if called == own:
            return 2
        return 3
    if called[-len(own) :] == own:
        return 4  # a server more
    if own[-len(called) :] == called:
        return 5  # a server less
    has_all = set(own) <= set(called) and called[: len(own)] != own  # words after a name make another name
    if has_all and len(own) > 1:
        return 6
    if set(called) <= set(own) and not _VERBS.issuperset(called):
        return 8
    return None


def _misspelt(name: str, tool: str) -> tuple[int, int, int] | None:
    """Return the distance between names that differ in a letter or two; None if the verbs differ."""
    apart = likeness(_bare(name), _bare(tool))
    verbs = _VERBS & ({*words_of(name)} ^ {*words_of(tool)})
    if apart is not None and apart < 3 and len(verbs) < 2:
        return (9, apart, 0)
    return None


def _spelt(name: str) -> list[str]:
    return parts_of(_bare(name))


def _opposed(name: str, tool: str) -> bool:
    """Return whether a tool does the opposite of what a name says, or something else."""
    left, right = set(words_of(name)), set(words_of(tool))
    called, own = left - right, right - left
    if any(not own.isdisjoint(_OPPOSITES.get(word, ())) for word in called):
        return True
    pairs = [(a, b) for a in called for b in own]
    return any(a in (p + b for p in _REVERSING) or b in (p + a for p in _REVERSING) for a, b in pairs)


def _most_similar(name: str, known: Sequence[str]) -> list[str]:
    """Return the tools with the most similar names.

    Tools that share the rarest words with the name come first, then those that share the most letters.
    """
    own = {tool: {SYNONYMS.get(word, word) for word in words_of(_bare(tool))} for tool in known}
    called = {SYNONYMS.get(word, word) for word in words_of(_bare(name))}
    times = Counter(word for words in own.values() for word in words)
    pairs = _pairs(name)

    def rank(tool: str) -> tuple[float, float]:
        shared = sum(1 / times[word] for word in called & own[tool])
        theirs = _pairs(tool)
        return -shared, -len(pairs & theirs) / (len(pairs | theirs) or 1)

    return sorted(known, key=rank)[:MAX_NAMES]


def _pairs(name: str) -> set[str]:
    letters = fold(name[:MAX_COMPARED_NAME])
    return {letters[at : at + 2] for at in range(len(letters) - 1)}
