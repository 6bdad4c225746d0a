"""The official JSON Schema test suite, through the public way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helpers.support import SUITE, TEST_DATA, for_each, needs_suite, read_json

from toolgen import SpecError, compile_tools

pytestmark = needs_suite

DIALECTS = {
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
    "v1": "https://json-schema.org/v1",
}
LEAST = dict.fromkeys(DIALECTS, (900, 400)) | {"draft4": (600, 250), "draft6": (800, 300), "v1": (1100, 700)}
"""How many required and optional tests there are at least, if the suite has the draft."""
OPTIONAL = ("ecmascript-regex", "non-bmp-regex", "bignum", "float-overflow", "dynamicRef", "anchor", "id")
"""Files of `optional/` that are held to; the others ask for what toolgen does not claim (`docs/evidence.md`)."""
KNOWN_FAILURES = read_json(TEST_DATA / "known_failures.json")


@dataclass(frozen=True)
class Case:
    draft: str
    file: str
    schema: Any
    group: str
    tests: tuple[dict[str, Any], ...]
    formats: str

    def __str__(self) -> str:
        return f"{self.draft}/{self.file}/{self.group}"


def cases(draft: str, paths: Iterator[Path] | list[Path], formats: str) -> Iterator[Case]:
    for path in sorted(paths):
        file = path.relative_to(SUITE / "tests" / draft).with_suffix("").as_posix()
        for group in read_json(path):
            schema = group["schema"]
            if isinstance(schema, dict):
                schema = {"$schema": DIALECTS[draft], **schema}
            yield Case(draft, file, schema, group["description"], tuple(group["tests"]), formats)


def wrong(case: Case) -> list[str]:
    """The tests of a group whose verdict is not the suite's."""
    named = [{"name": "t", "schema": case.schema}]
    remotes = {"http://localhost:1234/": SUITE / "remotes"}
    try:
        tool = compile_tools(named, formats=case.formats, ref_dir=remotes)["t"]
    except SpecError as error:
        return [f"{test['description']}: {error}" for test in case.tests]
    verdicts = [(test, tool.validate(test["data"])) for test in case.tests]
    return [test["description"] for test, issues in verdicts if (not issues) != test["valid"]]


def differing(found: list[Case]) -> list[tuple[str, str]]:
    return [(str(case), test) for case in found for test in wrong(case)]


@for_each([draft for draft in DIALECTS if (SUITE / "tests" / draft).is_dir()])
def test_required_tests_all_pass(draft: str) -> None:
    found = list(cases(draft, list((SUITE / "tests" / draft).glob("*.json")), "annotate"))
    assert sum(len(case.tests) for case in found) > LEAST[draft][0]
    assert differing(found) == []


@for_each([draft for draft in DIALECTS if (SUITE / "tests" / draft).is_dir()])
def test_optional_tests_pass_but_for_the_known_failures(draft: str) -> None:
    folder = SUITE / "tests" / draft / "optional"
    found = [
        *cases(
            draft, [folder / f"{n}.json" for n in OPTIONAL if (folder / f"{n}.json").is_file()], "annotate"
        ),
        *cases(draft, list((folder / "format").glob("*.json")), "assert"),
        *cases(draft, list((SUITE / "tests" / draft / "format").glob("*.json")), "annotate"),  # of v1
    ]
    assert sum(len(case.tests) for case in found) > LEAST[draft][1]
    known = {(row["group"], row["test"]) for row in KNOWN_FAILURES if row["group"].startswith(f"{draft}/")}
    failing = set(differing(found))
    assert failing - known == set(), "new failures"
    assert known - failing == set(), "these pass now: take them off tests/known_failures.json"


def test_known_failures_say_why_and_since_when() -> None:
    for row in KNOWN_FAILURES:
        assert row.keys() == {"group", "test", "reason", "date"}
