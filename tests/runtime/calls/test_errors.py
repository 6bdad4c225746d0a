"""The kinds of failure and their one table."""

from __future__ import annotations

import pickle
from itertools import product

import pytest
from helpers.support import ROOT, for_each

from toolgen_runtime import (
    TOOL_ERROR_KIND_MEANINGS,
    MalformedCallError,
    MalformedResponseError,
    ToolErrorKind,
    ToolExecutionError,
)
from toolgen_runtime.calls.errors import Recovery


def test_the_documentation_shows_the_table() -> None:
    page = (ROOT / "docs" / "boundary.md").read_text()
    assert set(TOOL_ERROR_KIND_MEANINGS) == set(ToolErrorKind)
    for kind, meaning in TOOL_ERROR_KIND_MEANINGS.items():
        executed = "yes" if meaning.executed else "no"
        assert f"| `{kind}` | {executed} | `{meaning.recovery}` | {meaning.description} |" in page


@for_each(product([None, "ask_user"], list(ToolErrorKind)))
def test_an_execution_error_derives_what_follows_from_its_kind(
    recovery: Recovery | None, kind: ToolErrorKind
) -> None:
    meaning = TOOL_ERROR_KIND_MEANINGS[kind]
    error = ToolExecutionError(kind, "no such issue", code=404, recovery=recovery)
    for one in (error, pickle.loads(pickle.dumps(error))):
        assert (one.kind, one.message, one.code, str(one)) == (kind, "no such issue", 404, "no such issue")
        assert (one.executed, one.recovery) == (meaning.executed, recovery or meaning.recovery)


def test_a_kind_must_be_one() -> None:
    assert ToolExecutionError("timeout", "x").kind is ToolErrorKind.TIMEOUT  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="melted"):
        ToolExecutionError("melted", "x")  # type: ignore[arg-type]


def test_what_came_in_stays_out_of_the_text() -> None:
    raw = {"toolUseId": "", "secret": "hunter2"}
    error = MalformedCallError("id", "the call has no id", raw)
    assert (error.field, error.raw) == ("id", raw)
    assert str(error) == "id: the call has no id"
    assert "hunter2" not in repr(error)
    assert pickle.loads(pickle.dumps(error)).raw == raw
    response = MalformedResponseError("not a list", {"secret": "hunter2"})
    assert (str(response), response.result) == ("not a list", {"secret": "hunter2"})
    assert pickle.loads(pickle.dumps(response)).result == {"secret": "hunter2"}
