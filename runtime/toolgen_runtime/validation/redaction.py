"""Find secret values with the help of a tool's schema, and show issues and payloads without them.

A value is secret if its schema, or the schema of a value around it, has `writeOnly: true` or `format: password`, or
if its key is among a registry's `secrets`. A value is treated as secret if it may contain a secret or was sent instead
of one. In an object whose schema has secrets, a key that the schema does not declare is treated as secret too, unless
it looks like a name.

Every generated package with secrets loads this module, so it imports very little.
"""

from __future__ import annotations

from toolgen_runtime.schema.keywords import UNKNOWN_KEYS
from toolgen_runtime.validation.issues import ANY_ITEM, MISSING, Secret, SecretKey, ValidationIssue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    Node = tuple[int, tuple[int, ...], Mapping[str | int, tuple[int, ...]], tuple[int, ...], tuple[int, ...]]
    """One schema: its state (`SECRET`, `LEADING` to a secret, or neither), and the indices of the schemas for the same
    value, for each key and index that it declares, for any other key, and for any item."""

SECRET, LEADING = 2, 1
MASK = repr(Secret(None))
MIN_SCRUBBED = 4
"""The minimum length of a secret, in characters, for masking it in other texts."""
_MOST_DIGITS, _MOST_LETTERS, _MOST_CAPITALS, _MOST_OF_NAME = 3, 20, 12, 50
"""The most digits after a word in a name, letters in a word, capitals in a row, and characters in a name."""
_BETWEEN = frozenset("<>{}[]()\"'\\,:;=/")
_MIN_PART = 8
"""The minimum length of a word that is masked in other texts, if it comes from a text that may hold a secret."""
_ALL_SECRET = frozenset((-1,))
_MIN_WITHIN = 5
"""The minimum length of a secret's name, in letters and digits, for looking for it inside other keys."""
_TEXT = frozenset(("json", "truncated"))


def fold_name(name: object) -> str:
    """Return a key without case and separators: `apiKey`, `API_KEY` and `api-key` all give `apikey`."""
    if isinstance(name, str):
        return "".join([c for c in name.casefold() if c.isalnum()])
    return ""


def looks_like_name(key: str) -> bool:
    """Return whether a key consists of words, as names do: `user_id` and `userId2` do, `sk-4eC39HqL` does
    not.
    """
    letters = digits = capitals = 0
    for char in key:
        if char.isalpha() and not digits:
            if char.isupper():
                capitals = capitals + 1
            else:
                capitals = 0
            if capitals != 1:
                letters = letters + 1
            else:
                letters = 1
        elif char.isdigit() and letters:
            digits += 1
        elif char in "_-.$":
            letters = digits = capitals = 0
        else:
            return False
        if digits > _MOST_DIGITS or letters > _MOST_LETTERS or capitals > _MOST_CAPITALS:
            return False
    return len(key) <= _MOST_OF_NAME


def _masked(value: Any, texts: Iterable[str]) -> Any:
    """Return a text with `MASK` in place of each of these texts in it. Return any other value unchanged."""
    if isinstance(value, str):
        # The longest first: one secret may be the beginning of another.
        for text in sorted(texts, key=len, reverse=True):
            if text in value:
                value = value.replace(text, MASK)
    return value


class _Hidden:
    """What is masked when a payload is shown."""

    __slots__ = ("keys", "texts", "values")

    def __init__(self, texts: frozenset[str] = frozenset()) -> None:
        self.texts = texts
        """Secret values, which are masked as keys and in other texts, too."""
        self.keys: list[str] = []
        self.values: list[Any] = []


class Secrets:
    """Where the payloads of one tool may have secrets.

    They are found through the schemas that lead to them (`nodes`) and by the names of keys.
    """

    __slots__ = ("_all_names", "_found", "_hidden_names", "_names", "_nodes", "_start")

    def __init__(
        self, nodes: tuple[Node, ...] = (), names: Iterable[str] = (), start: Iterable[int] = (0,)
    ) -> None:
        """`nodes` are the schemas that lead to a secret, and `start` those of the payload.

        The number -1 stands for a secret value.
        """
        self._nodes = nodes
        self._names = frozenset(map(fold_name, names)) - {""}
        if nodes:
            self._start = self._closed(start)
        else:
            self._start = frozenset[int]()
        self._hidden_names: frozenset[str] | None = None
        self._all_names: frozenset[str] | None = None
        self._found: dict[tuple[frozenset[int], str | int | None], frozenset[int]] = {}
        """The results of `_below`; their number is bounded by the schemas."""

    def at(self, *nodes: int) -> Secrets:
        """Return the secrets in one part of the payload, to which these schemas apply.

        Without schemas, the whole part is secret.
        """
        return Secrets(self._nodes, self._names, nodes or (-1,))

    def named(self, names: frozenset[str]) -> Secrets:
        """Return a copy in which the values of these keys are secret too."""
        if names:
            return Secrets(self._nodes, self._names | names, self._start)
        return self

    def _closed(self, nodes: Iterable[int]) -> frozenset[int]:
        """Return these schemas and all other schemas for the same value."""
        closed, pending = set[int](), list(nodes)
        while pending:
            node = pending.pop()
            if node not in closed:
                closed.add(node)
                pending += self._nodes[node][1] if node >= 0 else ()
        return frozenset(closed)

    def _below(self, here: frozenset[int], step: Any) -> frozenset[int]:
        if not here:
            return here
        is_item = type(step) is int
        declared = ANY_ITEM if is_item else None
        if (is_item or isinstance(step, str)) and self._has(here, step):
            declared = step
        below = self._found.get((here, declared))
        if below is None:
            found: list[int] = []
            for node in here - _ALL_SECRET:
                _, _, steps, keys, items = self._nodes[node]
                found += items if is_item else keys
                found += () if declared is None else steps.get(declared, ())
            below = self._found[here, declared] = self._closed(found)
        return below

    def _is_secret(self, here: frozenset[int]) -> bool:
        return any(node < 0 or self._nodes[node][0] == SECRET for node in here)

    def _leads(self, here: frozenset[int]) -> bool:
        """Return whether a value may be or contain a secret."""
        return any(node < 0 or self._nodes[node][0] for node in here)

    def _has(self, here: frozenset[int], step: str | int) -> bool:
        return any(node >= 0 and step in self._nodes[node][2] for node in here)

    def _schema_names(self) -> frozenset[str]:
        """Return the folded names of all keys that are secret anywhere in the schema, and of the configured keys."""
        if self._hidden_names is None:
            own = [
                name
                for _, _, steps, _, _ in self._nodes
                for name, nodes in steps.items()
                if isinstance(name, str) and self._is_secret(self._closed(nodes))
            ]
            self._hidden_names = self._names.union(map(fold_name, own)) - {""}
        return self._hidden_names

    def _hides_key(self, here: frozenset[int], key: Any, texts: frozenset[str]) -> bool:
        """Return whether a key may be a secret.

        The key is one of these secret values, or it is not declared beside secrets and does not look like a name.
        """
        if key in texts:
            return True
        return (
            isinstance(key, str)
            and self._leads(here)
            and not self._has(here, key)
            and not self._may_be_shown(key)
        )

    def _may_be_shown(self, key: str) -> bool:
        return looks_like_name(key) or fold_name(key) in self._declared_names()

    def _declared_names(self) -> frozenset[str]:
        """Return the folded names of all keys that schemas with secrets declare."""
        if self._all_names is None:
            names = (name for _, _, steps, _, _ in self._nodes for name in steps)
            self._all_names = self._names.union(map(fold_name, names))
        return self._all_names

    def texts_of(self, payload: Any) -> frozenset[str]:
        """Return the secret strings of a payload that must also be masked where they occur as keys or in
        texts.

        A string that is the name of a declared key is not among them.
        """
        if not isinstance(payload, (dict, list)):
            return frozenset()
        values = (member for _, member in _members(self._hidden(payload).values))
        texts = {text for text in values if isinstance(text, str) and len(text) >= MIN_SCRUBBED}
        return frozenset(text for text in texts if fold_name(text) not in self._declared_names())

    def concealed_path(self, path: tuple[Any, ...], texts: frozenset[str] = frozenset()) -> tuple[Any, ...]:
        """Return the path with a `SecretKey` in place of each key that may be secret."""
        steps: list[Any] = []
        here = self._start
        for step in path:
            steps.append(SecretKey(step) if self._hides_key(here, step, texts) else step)
            below = self._below(here, step)
            if not below and (self._is_secret(here) or self._is_stray(here, step)):
                below = _ALL_SECRET
            here = below
        return tuple(steps)

    def masked_path(self, path: tuple[Any, ...], texts: frozenset[str] = frozenset()) -> tuple[Any, ...]:
        """Return the path as plain data, with `MASK` in place of each key that may be secret."""
        return tuple([MASK if type(step) is SecretKey else step for step in self.concealed_path(path, texts)])

    def _names_secret(self, key: Any, *, is_declared: bool) -> bool:
        """Return whether a key is the name of a secret.

        For a key that no schema declares, containing such a name is enough.
        """
        name, names = fold_name(key), self._schema_names()
        if name in names:
            return True
        return not is_declared and any(len(each) >= _MIN_WITHIN and each in name for each in names)

    def hides(self, path: tuple[str | int, ...], *, unknown: bool = False, value: Any = None) -> bool:
        """Return whether the value at a path may be secret or contain a secret.

        `unknown` says whether the last key is missing from the schema.
        """
        here = self._start
        if self._is_secret(here):
            return True
        for step in path:
            if (self._names and fold_name(step) in self._names) or self._is_stray(here, step):
                return True
            here = self._below(here, step)
            if self._is_secret(here):
                return True
        if self._leads(here) or (unknown and self._names_secret(path[-1], is_declared=False)):
            return True
        return self._holds_name(value)

    def _is_stray(self, here: frozenset[int], step: Any) -> bool:
        """Return whether the value at a step may be secret because a schema with secrets does not declare the step."""
        is_item = type(step) is int
        known = (is_item or isinstance(step, str)) and self._has(here, step)
        is_declared = known or (is_item and self._has(here, ANY_ITEM))
        return self._leads(here) and not is_declared and not self._below(here, step)

    def _holds_name(self, value: Any) -> bool:
        """Return whether a list or object contains, at any depth, a key with the name of a secret."""
        names = self._schema_names()
        if not names or not isinstance(value, (dict, list, str)):
            return False
        if isinstance(value, str):  # a container is often sent as its JSON text, or as tags of fields
            may_hold = value.lstrip()[:1] in ("{", "[") or "<" in value
            return may_hold and any(name in fold_name(value) for name in names)
        return any(self._names_secret(step, is_declared=False) for step, _ in _members(value))

    def conceal(self, issues: list[ValidationIssue], payload: Any = MISSING) -> list[ValidationIssue]:
        """Return the issues, with a `Secret` around each value that may be secret or contain a secret.

        Keys that equal a secret value of the payload are masked, too.
        """
        if not issues:
            return issues
        texts = self.texts_of(payload)
        return [self._concealed(issue, texts) for issue in issues]

    def _must_hide(self, issue: ValidationIssue) -> bool:
        got, constraint = issue.got, issue.constraint
        if got is MISSING or isinstance(got, Secret):
            return False
        if constraint in _TEXT:  # an excerpt, which may contain any part of the payload
            return True
        if constraint == "duplicate_key":
            return any(type(step) is SecretKey for step in self.concealed_path(issue.path))
        return self.hides(issue.path, unknown=constraint in UNKNOWN_KEYS, value=got)

    def _concealed(self, issue: ValidationIssue, texts: frozenset[str]) -> ValidationIssue:
        path = self.concealed_path(issue.path, texts)
        must_hide = self._must_hide(issue) or _masked(issue.got, texts) is not issue.got
        if not must_hide and all(one is other for one, other in zip(path, issue.path, strict=True)):
            return issue
        if must_hide:
            got = Secret(issue.got)
        else:
            got = issue.got
        return ValidationIssue(path, issue.constraint, issue.expected, got)

    def redacted(self, payload: Any) -> Any:
        """Return a copy of a payload, with `MASK` in place of every value that may be secret.

        In an object with secrets, the values of unknown keys are masked too.
        """
        return self._redacted(payload, self._start, {}, _Hidden(self.texts_of(payload)))

    def _redacted(
        self,
        value: Any,
        here: frozenset[int],
        known: dict[tuple[int, frozenset[int]], Any],
        hidden: _Hidden,
    ) -> Any:
        """Return a copy, and add the masked values and keys to `hidden`.

        Shared parts of the payload are copied once. A part that contains itself is masked.
        """
        holds = isinstance(value, (dict, list))
        if self._is_secret(here) or (not holds and (self._leads(here) or self._holds_name(value))):
            hidden.values.append(value)
            return MASK
        if not holds:
            return _masked(value, hidden.texts)
        place = (id(value), here)
        if place in known:
            return known[place]
        known[place] = MASK
        made: dict[Any, Any] = {}
        step: Any
        for step, member in value.items() if isinstance(value, dict) else enumerate(value):
            shown = step
            if self._hides_key(here, step, hidden.texts):
                hidden.keys.append(step)
                if MASK not in made:
                    shown = MASK
                else:
                    shown = f"{MASK}{len(made)}"
            if self._is_hidden_member(here, step):
                hidden.values.append(member)
                made[shown] = MASK
                continue
            try:
                made[shown] = self._redacted(member, self._below(here, step), known, hidden)
            except RecursionError:
                hidden.values.append(member)
                made[shown] = MASK
        known[place] = made if isinstance(value, dict) else [*made.values()]
        return known[place]

    def _is_hidden_member(self, here: frozenset[int], step: Any) -> bool:
        is_declared = not isinstance(step, str) or self._has(here, step)
        return self._names_secret(step, is_declared=is_declared) or self._is_stray(here, step)

    def _hidden(self, payload: Any) -> _Hidden:
        hidden = _Hidden()
        self._redacted(payload, self._start, {}, hidden)
        return hidden

    def hidden_keys(self, payload: Any) -> set[str]:
        """Return all keys in a payload, at any depth, that may themselves be secret."""
        hidden = self._hidden(payload)
        inside = (step for step, _ in _members(hidden.values) if isinstance(step, str))
        texts = self.texts_of(payload)
        values = {step for step, _ in _members(payload) if isinstance(step, str) and step in texts}
        return {*hidden.keys, *values, *(step for step in inside if not self._may_be_shown(step))}

    def scrubbed(self, text: str, payload: Any) -> str:
        """Return a text, with `MASK` in place of every secret that the payload contains."""
        values = set(self.hidden_keys(payload))
        hidden = self._hidden(payload)
        for _, value in _members(hidden.values):
            if type(value) in (str, int, float):
                values.add(str(value))
            if type(value) is str:
                values.update(_parts_of(value))
        for value in sorted(values, key=len, reverse=True):
            if len(value) >= MIN_SCRUBBED:
                text = text.replace(value, MASK).replace(repr(value)[1:-1], MASK)
        return text


def _parts_of(text: str) -> Iterator[str]:
    """Yield the words of JSON or tags that may be secrets, because such text is often quoted with other escapes."""
    if "<" in text or '"' in text or "'" in text:
        for word in "".join([" " if c in _BETWEEN else c for c in text]).split():
            if len(word) >= _MIN_PART and not looks_like_name(word):
                yield word


def _members(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each key or index of a list or object with its value, at any depth. Visit a shared one only once."""
    seen, pending = set[int](), [value]
    while pending:
        holder = pending.pop()
        if isinstance(holder, (dict, list)) and id(holder) not in seen:
            seen.add(id(holder))
            for step, member in holder.items() if isinstance(holder, dict) else enumerate(holder):
                yield step, member
                pending.append(member)
