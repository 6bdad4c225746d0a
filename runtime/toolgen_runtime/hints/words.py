"""Names compared by their words: `file_path` and `path`, `startTime` and `start`. Pure, bounded in time."""

from __future__ import annotations

import re
from functools import lru_cache

from toolgen_runtime.schema.spelling import MAX_NAME

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_a-zA-Z]+")
_OPPOSITES = (
    "start end|from to|min max|include exclude|before after|old new|source target|source destination"
    "|src dst|src dest|src destination|source dest|source dst"
    "|first last|left right|width height|lat lon|lat lng|latitude longitude|x y|in out|add remove|enable disable"
    "|allow deny|up down|open close|parent child|head base|subject body|username password|user password"
    "|input output|key value|row column|begin end|since until|sender recipient|lock unlock|public private"
    "|name password|title body|create delete|read write|email password|origin destination"
)
_SYNONYMS = (
    "title name summary subject heading headline|content contents body text message|query q search term keyword"
    "|path file filename filepath|folder directory dir|limit count max maximum size top length|url uri link href"
    "|start begin from since|end finish until to|id identifier key number|desc description details"
    "|label tag|user username author owner assignee login|date day time datetime when|page offset"
    "|type kind category|org organization owner|repo repository project|branch ref|command cmd script"
    "|recipient to|origin source src from"
    "|destination target to dest dst|head source|base target"
    "|place location address city|emoji reaction|comment text note|code snippet source"
    "|order sort|fields columns|filter where condition|status state|amount quantity qty|lang language locale"
)
_SECRET_NAMES = "password passwd passphrase secret token credential pin apikey auth"
_COMMON = "the a an of for in on by is value data info param parameter field"
_SECRET = frozenset(_SECRET_NAMES.split())
_SHORT_PLURALS = frozenset(("ids", "ips", "prs"))
_GENERIC = frozenset(_COMMON.split())
"""Words that two names may share by chance."""
_OPPOSITE_OF: dict[str, set[str]] = {}
for _pair in _OPPOSITES.split("|"):
    _a, _b = _pair.split()
    _OPPOSITE_OF.setdefault(_a, set()).add(_b)
    _OPPOSITE_OF.setdefault(_b, set()).add(_a)
_GROUPS = [frozenset(group.split()) for group in _SYNONYMS.split("|")]


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name, in lower case and without the `s` of a plural.

    >>> words_of("filePaths"), words_of("HTTP-status_code2")
    (('file', 'path'), ('http', 'status', 'code', '2'))
    """
    return _words(name[:MAX_NAME])


@lru_cache(maxsize=2048)
def _words(name: str) -> tuple[str, ...]:
    return tuple(_stem(word.lower()) for word in _WORD.findall(name))


def _stem(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word in _SHORT_PLURALS:
        return word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] == "s" and word[-2] not in "sui" else word


def opposed(a: str, b: str) -> bool:
    """Return whether two names say opposite things: `start_time` and `end_time`, `excludes` and `include`."""
    left, right = set(words_of(a)), set(words_of(b))
    return any(not _OPPOSITE_OF.get(word, set()).isdisjoint(right - left) for word in left - right)


def names_secret(name: str) -> bool:
    """Return whether a name is that of a secret: `password`, `apiKey`, `access_token`."""
    words = words_of(name)
    return not _SECRET.isdisjoint(words) or "".join(words) in ("apikey", "accesskey", "privatekey")


def word_likeness(a: str, b: str) -> int | None:
    """Return how two names are alike by their words; None where they are not.

    1: the same words, but for their order or a plural; 4: one has all words of the other; 5: synonyms; 6: they
    share a word.

    >>> word_likeness("file_path", "path"), word_likeness("message", "body"), word_likeness("labels", "label")
    (4, 5, 1)
    """
    left, right = set(words_of(a)), set(words_of(b))
    if not left or not right:
        return None
    if left == right:
        return 1
    shared = (left & right) - _GENERIC
    if shared and (left < right or right < left):
        return 4
    if _same_meaning(left - right, right - left):
        return 5
    return 6 if any(len(word) > 2 for word in shared) else None


def _same_meaning(left: set[str], right: set[str]) -> bool:
    """Return whether one word of each side means the same, and no more than one word is without a fellow."""
    if len(left) + len(right) > 3:
        return False
    return any(not group.isdisjoint(left) and not group.isdisjoint(right) for group in _GROUPS)


def common_start(a: str, b: str) -> bool:
    """Return whether two words have one stem: `succeeded` and `success`, `drive` and `driving`."""
    least = min(len(a), len(b))
    same = next((i for i in range(least) if a[i] != b[i]), least)
    return same >= 4 and same >= 0.6 * least and max(len(a), len(b)) - same <= 5
