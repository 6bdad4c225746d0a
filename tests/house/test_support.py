"""A table in one test: each case runs, and each that fails is named."""

import pytest
from helpers.support import for_each


@for_each(("text", "number"), [("1", 1), ("x", 1), ("2", 1), pytest.param("3", None, id="three")])
def a_table(text: str, number: int | None) -> None:
    if number is None:
        with pytest.raises(ValueError, match="literal"):
            int(text)
    else:
        assert int(text) == number


def test_a_table_names_every_case_that_fails() -> None:
    with pytest.raises(
        BaseExceptionGroup, match=r"3 of 4 cases\ncase 1: .*\ncase 2: .*\ncase 3: three"
    ) as caught:
        a_table()
    assert [type(error).__name__ for error in caught.value.exceptions] == [
        "ValueError",
        "AssertionError",
        "Failed",
    ]
