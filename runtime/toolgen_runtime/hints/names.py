"""Compare names: how similar they are, and what their words mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from toolgen_runtime.schema.spelling import MAX_COMPARED_NAME, fold

MAX_COMPARED = 200
"""The most candidates that are all compared; of more, only the first ones and those with the same start are."""
_UNLIKE = 9
"""The rank of a candidate that is not similar."""
_VOWELS = frozenset("aeiou")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_a-zA-Z]+")


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


def fellows(groups: str) -> dict[str, set[str]]:
    """Map each word to all words of the groups that it belongs to, including itself.

    Groups are written as `big large|small little`.
    """
    found: dict[str, set[str]] = {}
    for group in groups.split("|"):
        for word in group.split():
            found.setdefault(word, set()).update(group.split())
    return found


_OPPOSITES = fellows(
    "start end|from to|min max|before after|old new|source target|source destination|src dst|src dest"
    "|src destination|source dest|source dst|first last|left right|width height|lat lon|lat lng"
    "|latitude longitude|x y|in out|add remove|allow deny|up down|open close|parent child|head base"
    "|subject body|username password|user password|key value|row column|begin end|since until"
    "|sender recipient|public private|name password|title body|create delete|read write|email password"
    "|origin destination|less greater|above below|to cc bcc sender|from recipient|run skip"
    "|ms millisecond second minute hour week|byte kb mb gb tb|celsius fahrenheit kelvin"
    "|meter km mile foot feet|kg gram lb pound|usd eur gbp|create remove|create destroy|add delete"
    "|insert delete|set clear|set get|get put|get delete|start stop|grant revoke|allow block|approve reject"
    "|accept reject|accept decline|push pull|login logout|buy sell|send receive|join leave|show hide"
    "|assign revoke|play pause|play stop|merge split|archive restore|backup restore|on off|asc desc"
    "|sync async|synchronous asynchronous|typical atypical"
)
"""Words that say something else, opposites and units among them: one is never taken for the other."""
_NEGATIONS = word_set(
    "no not non none nor nin neither never un without skip disable negate invert complement unless exclude"
    " except excluding but"
)
_DEGREES = word_set("extra very super ultra semi half double")
"""Words that make another value of a value."""
_PREFIXES = fellows("un in im il ir non en on|de des dis|re|ex|as|at|off|out|min|max|up|down|over|under")
"""Prefixes that turn the meaning of a word. Those of one group are also confused by mistake: `inable`, `enable`."""
_SAME = fellows(
    "title name summary subject heading headline|limit count max maximum size top length|emoji reaction"
    "|head source from|at date day time datetime when timestamp"
)
"""Words with the same meaning."""
_SECRET = word_set("password passwd pwd pass passphrase secret token credential pin apikey auth")
_CONDITIONS = word_set(
    "where filter condition only if unless when except exclude include not scope segment audience target recipient"
    " dry preview simulate simulation test trial sandbox draft confirm confirmed approve approved ask force"
    " match matching pattern query selector limit max min until before after since id user group role"
    " owner team member tag label older newer than"
    " no never without skip keep simulated testing mock fake paper practice pretend rehearse confirmation approval safe"
    " private public visible visibility hidden silent silence notify amount quantity count maximum minimum total"
    " partial part percent ratio on at by date day time schedule scheduled delay later start end from to expire expiry"
    " expires deadline valid version revision etag undo revert rollback cancel abort stop stage staging env environment"
    " region tenant account unit currency backup old new previous expected recursive allow deny block restrict level"
)
"""Words of keys that may limit, test or condition a call, or set its time, audience or amount."""
_FREE_TEXT = word_set(
    "content text body message comment note description summary html markdown prompt query sql code script command cmd"
    " arg argument argv value data input output reason title subject parameter"
)
"""Last words of the names of fields that hold any text."""
_HOLDERS = word_set("argument arg kwarg input parameter param payload data body request value")
WRAPPERS = frozenset(("arguments", "args", "parameters", "params", "input"))
"""Keys that certainly contain the arguments as a whole; a hint asks about other such keys."""
TOOL_NAMES = ("name", "tool", "tool_name", "function")
"""Keys that may name the called tool."""
_SHORT_PLURALS = frozenset(("ids", "ips", "prs"))
_GENERIC = word_set("the a an of for in on by is value data info param parameter field")
"""Words that two names may share by chance."""
_PREPOSITIONS = frozenset(("to", "from", "at", "with", "as"))
"""Words that count only at the start of a name: `to_address`, but not `reply_to`."""
_WHOLE_NAMES = frozenset(("filter", "query"))
"""Words that mean the same only if each is a whole name."""


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name, in lower case and without a plural `s`.

    >>> words_of("filePaths"), words_of("HTTP-status_code2")
    (('file', 'path'), ('http', 'status', 'code', '2'))
    """
    return _words(name[:MAX_COMPARED_NAME])


@lru_cache(maxsize=2048)
def _words(name: str) -> tuple[str, ...]:
    return tuple(map(_stem, parts_of(name)))


def parts_of(name: str) -> list[str]:
    """Return the words of a name, in lower case. Plurals are kept."""
    return [word.lower() for word in _WORD.findall(name[:MAX_COMPARED_NAME])]


def _stem(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    is_plural = len(word) > 3 and word[-1] == "s" and word[-2] not in "sui"
    if is_plural or word in _SHORT_PLURALS:
        return word[:-1]
    return word


def opposed(a: str, b: str) -> bool:
    """Return whether two names mean different things.

    >>> opposed("start_time", "end_time"), opposed("no_force", "force"), opposed("inactive", "active")
    (True, True, True)
    >>> opposed("input", "inputs"), opposed("inable", "enable"), opposed("image", "imge")
    (False, False, False)
    """
    left, right = set(words_of(a)), set(words_of(b))
    if left & right and not _NEGATIONS.isdisjoint(left ^ right):
        return True
    pairs = [(x, y) for x in left - right for y in right - left]
    return any(y in _OPPOSITES.get(x, ()) or _is_turned(x, y) for x, y in pairs)


def _is_turned(x: str, y: str) -> bool:
    """Return whether two words differ only in a prefix that turns the meaning: `active` and `inactive`."""
    left, right = _roots(x), _roots(y)
    return any(left[root] != right[root] for root in left.keys() & right.keys())


def _roots(word: str) -> dict[str, set[str]]:
    """Return a word, and what follows a prefix in it, each with the group of the prefix."""
    found: dict[str, set[str]] = {word: set()}
    for prefix, group in _PREFIXES.items():
        if word.startswith(prefix) and len(word) > len(prefix) + 1:
            found[word.removeprefix(prefix)] = group
    return found


def conditions(name: str) -> bool:
    """Return whether a key may limit a call, make it conditional, or turn it into a dry run.

    Examples are `dry_run`, `older_than` and `audience`.
    """
    return not _CONDITIONS.isdisjoint(words_of(name))


def names_secret(name: str) -> bool:
    """Return whether a name sounds like the name of a secret: `password`, `apiKey`, `access_token`."""
    words = words_of(name)
    return not _SECRET.isdisjoint(words) or "".join(words) in ("apikey", "accesskey", "privatekey")


def holds_free_text(name: str) -> bool:
    """Return whether a field may hold any text, judging by its name: `body`, `file_content`, `command`."""
    return not _FREE_TEXT.isdisjoint(words_of(name)[-1:])


def holds_arguments(key: str) -> bool:
    """Return whether a key may hold all arguments of the call: `tool_input`, `kwargs`."""
    return not _HOLDERS.isdisjoint(words_of(key)[-1:])


def word_likeness(a: str, b: str) -> int | None:
    """Grade how similar the words of two names are; None if they are not similar.

    4: one name has all words of the other; 5: the words are synonyms; 6: the names share a word.

    >>> word_likeness("file_path", "path"), word_likeness("heading", "title"), word_likeness("labels", "label")
    (4, 5, 4)
    >>> word_likeness("to", "to_address"), word_likeness("to", "reply_to")
    (4, None)
    """
    left_words, right_words = words_of(a), words_of(b)
    left, right = set(left_words), set(right_words)
    shared = (left & right) - _GENERIC
    shared = {w for w in shared if w not in _PREPOSITIONS or w == left_words[0] == right_words[0]}
    if shared and (left <= right or right <= left):
        return 4
    left, right = left - right, right - left
    is_same = any(not right.isdisjoint(_SAME.get(word, ())) for word in left)
    if (is_same and len(left) + len(right) <= 3) or left | right == _WHOLE_NAMES:
        return 5  # a word with the same meaning on each side, and at most one other
    if any(len(word) > 2 for word in shared):
        return 6
    return None


def common_start(a: str, b: str) -> bool:
    """Return whether two words have the same stem: `succeeded` and `success`, or `drive` and `driving`."""
    least, same = min(len(a), len(b)), _same_start(a, b)
    return same >= 4 and same >= 0.6 * least and max(len(a), len(b)) - same <= 5


def _same_start(a: str, b: str) -> int:
    least = min(len(a), len(b))
    return next((i for i in range(least) if a[i] != b[i]), least)


def distance(a: str, b: str, limit: int) -> int:
    """Return the edit distance of two words, up to `limit + 1`.

    An edit inserts, deletes or replaces a letter, or swaps two neighboring letters.

    >>> distance("title", "titel", 2), distance("title", "name", 2)
    (1, 3)
    """
    if abs(len(a) - len(b)) > limit or len({*a}.difference(b)) > limit:
        return limit + 1
    start = _same_start(a, b)
    a, b = a[start:], b[start:]
    if not a or not b:
        return max(len(a), len(b))
    ways = [(a[1:], b), (a, b[1:]), (a[1:], b[1:])]
    if a[:2] == b[1::-1]:
        ways.append((a[2:], b[2:]))
    return 1 + min(distance(x, y, limit - 1) for x, y in ways)


def _abbreviates(short: str, long: str) -> bool:
    """Return whether `short` is `long` with letters after the first left out: `qty` and `quantity`."""
    if len(short) < 3 or short[0] != long[0]:
        return False
    if 3 * len(short) < len(long) and not long.startswith(short):
        return False  # Most long names contain any three letters in order.
    if _same_start(short, long) < 3 and not _VOWELS.isdisjoint(short[1:]):
        return False  # The vowels are left out first: `wed` is no `weekday`.
    rest = iter(long)
    return all(c in rest for c in short)


def likeness(a: str, b: str) -> int | None:
    """Grade how much the spelling of two names differs; None if they are not similar.

    The difference is 0 if the names are equal when folded, and grows as they become less similar.

    >>> likeness("dueDate", "due_date"), likeness("titel", "title"), likeness("qty", "quantity")
    (0, 1, 3)
    >>> likeness("name", "title") is None
    True
    """
    x, y = fold(a), fold(b)
    if x == y:
        return 0
    if max(len(x), len(y)) <= MAX_COMPARED_NAME:
        return _likeness(x, y)
    return None


@lru_cache(maxsize=4096)
def _likeness(x: str, y: str) -> int | None:
    short, long = sorted((x, y), key=len)
    limit = 1 if len(short) < 6 else 2
    if len(short) > 2 and (letters := distance(x, y, limit)) <= limit:
        return letters
    if _abbreviates(short, long):
        return 3
    return None


def by_likeness(name: str, candidates: Sequence[Any], measure: Callable[[str, Any], int | None]) -> list[Any]:
    """Sort all candidates by their similarity to a name, as `measure` grades it, the most similar first."""
    compared = worth_comparing(name, candidates)
    alike = {c: found for c in compared if (found := measure(name, c)) is not None}
    return sorted(candidates, key=lambda c: alike.get(c, _UNLIKE) if type(c) is str else _UNLIKE)


def worth_comparing(name: str, candidates: Sequence[Any]) -> list[str]:
    """Return the texts among the candidates that should be compared with a name.

    If there are very many, return those with the same start and the first ones in the list.
    """
    texts = [c for c in candidates if type(c) is str]
    if len(texts) <= MAX_COMPARED:
        return texts
    start = name[:2].casefold()
    alike = [text for text in texts if text[:2].casefold() == start]
    return [*dict.fromkeys((*alike[:MAX_COMPARED], *texts[:MAX_COMPARED]))]


@lru_cache(maxsize=4096)
def value_likeness(got: str, value: str) -> int | None:
    """Grade how much a string differs from an allowed value; None if they are not similar.

    Stems and words are compared too.

    >>> value_likeness("succeeded", "success"), value_likeness("text/html", "html"), value_likeness("a", "b")
    (6, 4, None)
    """
    if len(value) > MAX_COMPARED_NAME or got.startswith("!") != value.startswith("!"):
        return None
    spelt = likeness(got, value)
    if spelt == 0:
        return 0
    left, right = set(words_of(got)), set(words_of(value))
    if opposed(got, value) or not _DEGREES.isdisjoint(left ^ right):
        return None
    if spelt is not None:
        return spelt
    if left and right and (left < right or right < left):
        return 4
    if any(common_start(a, b) for a in left for b in right):
        return 6
    return None
