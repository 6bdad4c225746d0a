"""Measurements in a file, one a line: a run that was stopped goes on, and an unchanged text is not measured again."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from measure import Measurement, messages
from wrong_calls import Case


class Results:
    """The measurements of one model."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, Measurement] = {}
        if path.exists():
            for line in path.read_text("utf-8").splitlines():
                row = json.loads(line)
                key = row.pop("key")
                self._known[key] = Measurement(**row)

    def get(self, case: Case, text: str) -> Measurement | None:
        """Return the measurement of a text after a case; None if it has not been measured."""
        return self._known.get(_key(case, text))

    def add(self, case: Case, text: str, measurement: Measurement) -> None:
        """Keep a measurement, in the file as well."""
        key = _key(case, text)
        self._known[key] = measurement
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, **measurement.to_dict()}, ensure_ascii=False) + "\n")


def _key(case: Case, text: str) -> str:
    asked = json.dumps([messages(case, text), case.intended.text()], ensure_ascii=False)
    return hashlib.sha256(asked.encode()).hexdigest()[:24]
