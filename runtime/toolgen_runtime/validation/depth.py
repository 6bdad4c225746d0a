"""Checks of recursive schemas on payloads that are too deep for Python's stack, too large, or that share their parts.

JSON texts are read to 200 levels. A payload in memory may have any number, hold one part in many places, or hold
itself.
"""

from __future__ import annotations

from itertools import chain, count, repeat
from types import FunctionType

from toolgen_runtime.validation.helpers import MAX_REMEMBERED, MIN_REMEMBERED, as_object, without_repeats
from toolgen_runtime.validation.issues import ValidationIssue, copied

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Final

    from toolgen_runtime.validation.helpers import Check

    Result = list[ValidationIssue] | bool
    """What a function says of a value: its issues, or whether it is valid."""
    Known = tuple[int, Any, Result]
    """The round that found a result, the value, which is kept since it is known by its `id`, and the result."""

MAX_STEPS: Final = 200_000
"""Calls of the functions of recursive schemas after which a check is begun anew by `check_deep`."""
MAX_WITHIN: Final = 40
"""Functions of a check within one another; what is deeper is checked first, on its own."""
MAX_ISSUES: Final = 200_000
"""Issues of a payload's levels together: each level of a payload that is checked here has at most its share."""
MIN_ISSUES: Final = 16
CYCLE: Final = "a value that does not contain itself"
_FINAL: Final = 0
_CONTAINERS: Final = (dict, list)


def _stop(_: None) -> None:
    raise RecursionError(f"a check took {MAX_STEPS:,} steps")


def _steps(number: int) -> Iterable[None]:
    return map(_stop, (None,)) if number % 2 else repeat(None, MAX_STEPS)


step: Callable[[], None] = chain.from_iterable(map(_steps, count())).__next__
"""Count one call of a function of a recursive schema, in all threads; each `MAX_STEPS` calls raise a RecursionError.

Then `check_deep` takes over. It is what ends the check of a list of a list twice, sixty times over.
"""


def check_deep(check: Check, payload: Any) -> list[ValidationIssue]:
    """Run the check of a recursive schema in time linear in the payload, however deep it is and whatever it shares.

    The issues are those of the check, up to `MAX_ISSUES` divided by the levels of the payload. A payload that
    contains itself is not JSON, and has one issue, `json`.
    """
    levels = depth_of(payload)
    if levels is None:
        return [ValidationIssue((), "json", CYCLE, payload)]
    limit = max(MAX_ISSUES // levels, MIN_ISSUES)
    try:
        return _Run(check, limit).issues(payload)
    except RecursionError:  # The caller has left no room on the stack; a thread has one of its own.
        from threading import Thread

        found: list[list[ValidationIssue]] = []
        thread = Thread(target=lambda: found.append(_Run(check, limit).issues(payload)))
        thread.start()
        thread.join()
        return found[0]


def depth_of(payload: Any) -> int | None:
    """Return the number of levels of a payload, a scalar having one, without recursion; None where it holds itself."""
    if not isinstance(payload, _CONTAINERS):
        return 1
    levels: dict[int, int] = {}
    above: dict[int, list[Any]] = {}
    """What is above the last of `pending`, by `id`, with the containers in it."""
    pending = [payload]
    while pending:
        item = pending[-1]
        at = id(item)
        if at in levels:
            pending.pop()
        elif at in above:
            levels[at] = 1 + max([levels[id(member)] for member in above.pop(at)])
        elif inner := _containers_in(item):
            above[at] = inner
            if not above.keys().isdisjoint(map(id, inner)):
                return None
            pending += inner
        else:
            levels[at] = 2 if item else 1
    return levels[id(payload)]


def _containers_in(item: dict[Any, Any] | list[Any]) -> list[Any]:
    members = item.values() if isinstance(item, dict) else item
    return [member for member in members if isinstance(member, _CONTAINERS)]


class _Run:
    """One run of a check, in rounds.

    A round runs one function for one value. At the end of `MAX_WITHIN` functions within one another it guesses that
    the rest is valid, and notes what it guessed; that is then run in rounds of its own, and the round repeated with
    what they found. Whatever was found without a guess is kept.
    """

    def __init__(self, check: Check, limit: int) -> None:
        self._limit = limit
        self._known: dict[tuple[FunctionType, int], Known] = {}
        self._objects: dict[int, tuple[Any, Any]] = {}
        self._guessed: list[tuple[Callable[[Any], Result], Any]] = []
        self._guesses = self._within = self._round = self._copies = 0
        self._knows_scalars = "remember_all" in check.__globals__
        self._check = self._copied(check)

    def _copied(self, check: Any) -> Callable[[Any], Result]:
        """Return a check with all functions of its module, each of which asks this run before it is called."""
        names = check.__globals__.copy()
        for name, value in check.__globals__.items():
            if type(value) is FunctionType and value.__globals__ is check.__globals__:
                own = FunctionType(value.__code__, names, name)
                names[name] = self._asked(own, value) if value.__code__.co_argcount == 1 else own
        names.update(step=_no_step, remember=_once, remember_all=_once, as_object=self._as_object)
        copied: Callable[[Any], Result] = names[check.__name__]
        return copied

    def _as_object(self, value: Any) -> Any:
        """Return `as_object`, the same for the same value, since values are known by their `id`."""
        return self._objects.setdefault(id(value), (value, as_object(value)))[1]

    def issues(self, payload: Any) -> list[ValidationIssue]:
        """Return the issues of a payload."""
        pending: list[tuple[Callable[[Any], Result], Any]] = [(self._check, payload)]
        found: Result = []
        while pending:
            self._round += 1
            function, value = pending[-1]
            found = function(value)
            if self._guessed:
                pending += self._guessed
                self._guessed = []
            else:
                pending.pop()
        return found if isinstance(found, list) else []

    def _asked(self, function: FunctionType, original: FunctionType) -> Callable[[Any], Result]:
        is_verdict = original.__annotations__.get("return") in ("bool", bool)

        def asked(value: Any) -> Result:
            key = (function, id(value))
            known = self._known.get(key)
            if known is not None and known[0] in (_FINAL, self._round):
                self._guesses += known[0] != _FINAL
                return self._copy(known[2])
            if self._within == MAX_WITHIN:
                self._guesses += 1
                self._guessed.append((asked, value))
                return is_verdict or []
            guesses = self._guesses
            self._within += 1
            try:
                result: Result = function(value)
            finally:
                self._within -= 1
            if isinstance(result, list):
                del result[self._limit :]
            if isinstance(value, _CONTAINERS) or self._knows_scalars or not self._within:
                round_ = _FINAL if guesses == self._guesses else self._round
                self._known[key] = (round_, value, self._copy(result))
            return result

        return asked

    def _copy(self, result: Result) -> Result:
        """Return a result that its caller may change: `under` moves issues."""
        if not result or result is True:
            return result if isinstance(result, bool) else []
        if len(result) > MIN_REMEMBERED:
            if self._copies > MAX_REMEMBERED:
                result = result[:MIN_REMEMBERED]
            self._copies += len(result)
        return copied(result)


def _no_step() -> None:
    """Count nothing: the number of calls is bounded."""


def _once(check: Check, value: Any) -> list[ValidationIssue]:
    return without_repeats(check(value))
