"""Tables in one test: every case has a name, and an empty table is skipped."""

from __future__ import annotations

import pytest
from helpers.support import cases_of


def test_cases_have_names() -> None:
    rows = [("1", 1), pytest.param("3", 4, id="three"), pytest.param("5", id="five"), "6"]
    assert list(cases_of(rows)) == [
        ("case 0: ('1', 1)", ("1", 1)),
        ("three", ("3", 4)),
        ("five", "5"),
        ("case 3: '6'", "6"),
    ]


def test_an_empty_table_is_skipped() -> None:
    with pytest.raises(pytest.skip.Exception):
        list(cases_of([]))
