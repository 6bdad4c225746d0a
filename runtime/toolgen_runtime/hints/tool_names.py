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
    likeness,
    opposed,
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
_FORMAT = re.compile(r"^(?i:(?:to=)?(?:functions?|default_api)[.:])|[({\[<].*", re.DOTALL)
"""What a prompt format puts before any name, and what models write after it: arguments, tags, `<|channel|>`."""
_WRAPPER = re.compile(
    r"^(?i:(?:to=)?(?:functions?|default_api|tools?|mcp)(?:__|[.:/]))+|[_.-]?tool$|(?<=[a-z])Tool$"
)
"""What belongs to a prompt format or a client, not to a server."""
_SERVER_END = re.compile(r"__|[.:/]")
"""The end of a server's name; a single underscore is part of a name."""
_MARKS = re.compile(r"[.:/]+")
"""Marks that separate words in the names of some clients, like underscores."""
_PLAIN = re.compile(r"[\w.:/\s-]*(?:\(\)|<\|[\w|<>]*)?|to=[\w.]*")
"""Names without characters that may mean something else."""
_VERBS = word_set(
    "create delete add remove insert destroy set unset clear get read write put start stop open close enable disable"
    " lock unlock grant revoke allow deny block approve reject accept decline attach detach mount unmount push pull"
    " import export upload download encrypt decrypt increase decrease login logout buy sell send receive join leave"
    " show hide connect disconnect assign play pause merge split archive restore backup up down on off"
    " list search find fetch query update edit patch modify move copy rename run call execute cancel check"
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
    others = [tool for tool in known if not opposed(name, tool)]
    apart = {tool: rank for tool in others if (rank := _distance(name, tool)) is not None}
    if apart:
        nearest = min(apart.values())
        return Meant([tool for tool, rank in apart.items() if rank == nearest][:MAX_NAMES], is_close=True)
    listed = _most_similar(name, others)
    if len(known) <= MAX_NAMES:
        listed += [tool for tool in known if tool not in listed]
    return Meant(listed[:MAX_NAMES], is_close=False)


def only_meaning(name: str, known: Sequence[str], about: Callable[[str], str]) -> str | None:
    """Return the only tool that an unknown name can mean; None if there is none or more than one.

    The following differences are allowed: case, separators, a wrapper such as `functions.`, a missing server prefix if
    at least two words follow it, and an extra server prefix if `about`, which returns the tool's description, mentions
    the server.
    """
    written = name.strip()
    if not written or len(written) > MAX_CALLED or _PLAIN.fullmatch(written) is None:
        return None

    def names_its_server(called: str, tool: str) -> bool:
        server, own = _split(called)
        if not server or conditions(server) or not _is_same(own, tool):
            return False
        said = re.findall(r"[a-z0-9]+", f"{tool} {about(tool)}"[:MAX_ABOUT].lower())
        return {*parts_of(server)}.issubset(said)

    found: list[str] = []
    for same in (_is_same, _is_same_without_wrapper, _lacks_server, names_its_server):
        found = found or [tool for tool in known if same(written, tool)]
    if len(found) == 1:
        return found[0]
    return None


def _is_same(name: str, tool: str) -> bool:
    """Return whether two names have the same words.

    A separator or the case of a letter may make another name: `re_lease_ip`, `set_power_mW`.
    """
    bare, own = (_MARKS.sub("_", _FORMAT.sub("", each)).strip("_") for each in (name, tool))
    return bare == own or same_words(bare, own)


def _is_same_without_wrapper(name: str, tool: str) -> bool:
    bare = _bare(name)
    return len(words_of(bare)) > 1 and _is_same(bare, _bare(tool))  # `create_tool` may be about tools


def _lacks_server(name: str, tool: str) -> bool:
    server, own = _split(tool)
    return server != "" and len(words_of(own)) > 1 and _is_same(own, _bare(name))


@lru_cache(maxsize=4096)
def _bare(name: str) -> str:
    """Return a name without wrappers and without the text that models sometimes write after it."""
    name = name[:MAX_CALLED].strip()
    return _WRAPPER.sub("", _FORMAT.sub("", name)) or name


def _split(name: str) -> tuple[str, str]:
    """Return the server prefix of a name, and the rest of the name."""
    bare = _bare(name)
    own = _SERVER_END.split(bare)[-1]
    return bare.removesuffix(own), own


def _distance(name: str, tool: str) -> tuple[int, int] | None:
    """Return how far a name is from being a spelling of a tool's name; None if it is too far.

    The first number says how they differ: the surest way has the lowest. The second says how much they differ.
    """
    bare, known = _bare(name), _bare(tool)
    called, own = words_of(bare), words_of(known)
    spelt = likeness(bare, known)
    if spelt == 0:
        return 0, 0
    if not called or not own:
        return None
    apart = len({*parts_of(bare)} ^ {*parts_of(known)})
    if sorted(called) == sorted(own):
        return 1, apart
    if called[-len(own) :] == own:
        return 2, apart  # a server more
    if own[-len(called) :] == called:
        return 3, apart  # a server less
    if words_of(_split(name)[1]) == words_of(_split(tool)[1]):
        return 4, apart  # another server
    if len(own) > 1 and {*own} <= {*called} and called[: len(own)] != own:
        return 5, apart  # other words between; words after a name make another name
    if {*called} <= {*own} and not _VERBS.issuperset(called):
        return 6, apart
    if spelt is not None and spelt < 3 and len(_VERBS & ({*called} ^ {*own})) < 2:
        return 7, spelt
    return None


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

    return sorted(own, key=rank)[:MAX_NAMES]


def _pairs(name: str) -> set[str]:
    letters = fold(name[:MAX_COMPARED_NAME])
    return {letters[at : at + 2] for at in range(len(letters) - 1)}
