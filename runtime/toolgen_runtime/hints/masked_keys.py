"""Build hints without showing keys that may be secret.

Such a key is replaced by another name in everything from which the hint is built.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.validation.issues import MISSING, SecretKey, ValidationIssue
from toolgen_runtime.validation.redaction import MASK, Secrets


class MaskedKeys:
    """The keys of one payload that may be secret, and the names that replace them."""

    def __init__(self, secrets: Secrets, payload: Any, issues: Iterable[ValidationIssue]) -> None:
        keys = {str.__str__(step) for issue in issues for step in issue.path if type(step) is SecretKey}
        if payload is not MISSING:
            keys |= secrets.hidden_keys(payload)
        self._names = {key: f"{MASK}{number or ''}" for number, key in enumerate(sorted(keys))}
        self._keys = {name: SecretKey(key) for key, name in self._names.items()}

    def __bool__(self) -> bool:
        return bool(self._names)

    def payload(self, payload: Any) -> Any:
        """Return a copy of the payload with these keys replaced; `MISSING` if the payload is nested too
        deeply.
        """
        try:
            return _renamed(payload, self._names, {})
        except RecursionError:
            return MISSING

    def issues(self, issues: Iterable[ValidationIssue]) -> list[ValidationIssue]:
        """Return the issues with these keys replaced in their paths."""
        return [
            ValidationIssue(_path_with(self._names, issue.path), issue.constraint, issue.expected, issue.got)
            for issue in issues
        ]

    def edits(self, edits: Iterable[Edit]) -> tuple[Edit, ...]:
        """Return the edits with such keys shown masked. They still apply to the original payload."""
        masked = []
        for edit in edits:
            to = edit.to
            if to is not None:
                to = _path_with(self._keys, to)
            masked.append(edit._replace(path=_path_with(self._keys, edit.path), to=to))
        return tuple(masked)


def _path_with(names: Mapping[str, Any], path: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a path in which some keys are replaced. Steps that are not strings do not change."""
    return tuple([names.get(step, step) if isinstance(step, str) else step for step in path])


def _renamed(value: Any, names: Mapping[str, str], known: dict[int, Any]) -> Any:
    if not isinstance(value, (dict, list)):
        return value
    if id(value) not in known:
        made: Any = {} if isinstance(value, dict) else []
        known[id(value)] = made  # the same for a value inside itself
        if isinstance(value, dict):
            made |= {names.get(key, key): _renamed(member, names, known) for key, member in value.items()}
        else:
            made += [_renamed(member, names, known) for member in value]
    return known[id(value)]
