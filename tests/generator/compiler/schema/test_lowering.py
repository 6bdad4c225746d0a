"""Lowering: what every dialect's keywords mean, where references lead, and which diagnostic a mistake gives."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
from helpers import support
from helpers.support import for_each, for_each_at_once, found, table, tool_of, write_json

from toolgen.compiler.diagnostics import Diagnostic, Place
from toolgen.compiler.schema.dialects import DEFAULT, DIALECTS, normal_uri
from toolgen.compiler.schema.lower import LowerOptions, lower
from toolgen.compiler.schema.ref_dirs import RefDir
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen_runtime.validation.formats import FORMATS

D4, D6, D7 = (f"http://json-schema.org/draft-0{n}/schema#" for n in (4, 6, 7))
D2019 = "https://json-schema.org/draft/2019-09/schema"
D2020 = "https://json-schema.org/draft/2020-12/schema"


def lowered(schema: Any, *ref_dirs: RefDir) -> tuple[Diagnostic, ...]:
    spec = ToolSpec("t", "", schema, Place("f.json", "/0"), Place("f.json", "/0/schema"))
    return lower(spec, LowerOptions(ref_dirs=ref_dirs)).diagnostics


CASES = table("lowering.json")


@for_each_at_once(CASES["mistakes"])
def test_mistakes_are_named_at_their_place(schema: Any, pointer: Any, code: Any) -> None:
    (diagnostic,) = lowered(schema)
    assert (diagnostic.place, diagnostic.code) == (Place("f.json", f"/0/schema{pointer}"), code)
    assert diagnostic.level == "error"
    assert diagnostic.tool == "t"
    assert diagnostic.hint or code == "invalid-schema"


def test_every_mistake_is_listed_in_the_order_of_the_document() -> None:
    names = [f"p{i}" for i in range(20)]
    found = lowered({"properties": {name: {"type": "nope"} for name in names}, "minLength": "x"})
    assert [d.place.pointer for d in found] == [
        "/0/schema/minLength",
        *(f"/0/schema/properties/{name}/type" for name in names),
    ]


@for_each(
    [
        *((spelling, uri) for uri in DIALECTS for spelling in (uri, uri + "#", f" {uri}# ")),
        ("https://json-schema.org/draft-07/schema", "http://json-schema.org/draft-07/schema"),
        ("http://json-schema.org/draft/2020-12/schema", D2020),
        ("urn:other", "urn:other"),
    ]
)
def test_dialects_are_known_however_they_are_spelt(uri: str, known: str) -> None:
    assert normal_uri(uri) == known


def test_no_dialect_named_is_2020_12() -> None:
    assert DEFAULT.uri == D2020
    assert found({"prefixItems": [{"type": "string"}]}, [1]) == [((0,), "type")]


TAKES_X = {"hostname", "idn-hostname", "iri-reference", "regex", "uri-reference", "uri-template"}

FORMAT_RULES: list[Any] = [
    [dialect, {"format": name}, "x", False]
    for dialect in (D4, D6, D7, D2019, D2020)
    for name in sorted(FORMATS - TAKES_X)
]


DIALECT_RULES = [*CASES["dialects"], *FORMAT_RULES]


@for_each(sorted({rule[0] for rule in DIALECT_RULES}))
def test_each_dialect_has_its_rules(dialect: str) -> None:
    for _, schema, payload, valid in (rule for rule in DIALECT_RULES if rule[0] == dialect):
        issues = found({"$schema": dialect, **schema}, payload)
        assert (issues == []) is valid, (schema, payload, issues)


@for_each_at_once(CASES["without effect"])
def test_what_has_no_effect_refers_to_nothing(dialect: Any, schema: Any) -> None:
    for payload in ({}, [1, 2], {"a": 1}, None):
        assert found({"$schema": dialect, **schema}, payload) == []


@for_each(CASES["with an effect"])
def test_what_has_an_effect_refers_to_something(schema: Any) -> None:
    assert "unresolvable-reference" in [d.code for d in lowered(schema)]


@for_each_at_once(CASES["doubtful"])
def test_what_looks_like_a_keyword_is_told(word: Any, schema: Any) -> None:
    for dialect in ({}, {"$schema": D2019}, {"$schema": D2020}):
        (diagnostic,) = lowered({**dialect, "items": schema})
        assert diagnostic.level == "warning"
        assert diagnostic.place.pointer == f"/0/schema/items/{word}"
        assert diagnostic.code == ("obsolete-keyword" if word == "dependencies" else "misspelled-keyword")
        assert diagnostic.hint


@for_each([*CASES["ordinary"], *CASES["as it is meant"]])
def test_other_words_are_let_alone(schema: Any) -> None:
    assert lowered(schema) == ()


@for_each(
    [
        {"properties": {"a": {"pattern": "a[ab]{200}c"}}},
        {"requird": ["a"]},
        {"dependencies": {"a": ["b"]}},
    ]
)
def test_a_warning_hides_no_endless_reference(warning: Any) -> None:
    codes = [d.code for d in lowered({**warning, "allOf": [{"$ref": "#"}]})]
    assert len(codes) == 2
    assert codes[-1] == "endless-reference"


def test_format_is_a_constraint_or_a_note() -> None:
    for dialect in (D4, D6, D7, D2019, D2020):
        for name in FORMATS:
            assert found({"$schema": dialect, "format": name}, "\n{", formats="annotate") == []
    assert found({"format": "date"}, "x") == [((), "format")]
    assert found({"format": "date"}, "x", formats="annotate") == []
    assert found({"format": "unknown"}, "x") == []


# -- references that lead out of the document


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A folder of schemas, and a secret beside it."""
    inside = tmp_path / "shelf"
    (inside / "sub").mkdir(parents=True)
    (tmp_path / "secret.json").write_text('{"type": "null"}')
    (inside / "size.json").write_text('{"type": "integer", "$defs": {"small": {"maximum": 9}}}')
    (inside / "sub" / "named.json").write_text('{"$id": "urn:named", "type": "string", "$anchor": "top"}')
    (inside / "relative.json").write_text('{"items": {"$ref": "size.json"}}')
    write_json(
        inside / "old.json",
        {"$schema": D7, "$id": "http://shelf.test/old", "items": [{"$ref": "#/definitions/a"}]},
    )
    (inside / "broken.json").write_text("{")
    (inside / "link.json").symlink_to(tmp_path / "secret.json")
    return inside


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("something asked for a connection")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)


BY_URI: list[tuple[str, Any, list[str]]] = [
    ("http://shelf.test/size.json", "x", ["type"]),
    ("http://shelf.test/size.json#/$defs/small", 10, ["maximum"]),
    ("http://shelf.test/sub/named.json", 5, ["type"]),
    ("http://shelf.test/relative.json", ["x"], ["type"]),
    ("http://shelf.test/sub/../size.json", "x", ["type"]),
]


@for_each(BY_URI)
def test_a_folder_stands_for_a_uri(
    reference: str, payload: Any, constraints: list[str], *, shelf: Path
) -> None:
    tool = tool_of({"$ref": reference}, ref_dir={"http://shelf.test/": shelf})
    assert [issue.constraint for issue in tool.validate(payload)] == constraints


def test_a_folder_is_searched_by_id(shelf: Path) -> None:
    assert lowered({"$ref": "urn:named"}, RefDir(shelf)) == ()
    assert lowered({"$ref": "urn:named#top"}, RefDir(shelf)) == ()
    (diagnostic,) = lowered({"$ref": "urn:other"}, RefDir(shelf))
    assert diagnostic.code == "unresolvable-reference"


LEADING_OUT = (
    *("../secret.json", "sub/../../secret.json", "%2e%2e/secret.json", "..%2fsecret.json", "link.json"),
    *("/etc/passwd", "%2fetc%2fpasswd", "//etc/passwd", "broken.json", "sub", "", "absent.json", "a\0b"),
)


@for_each(LEADING_OUT)
def test_no_reference_leaves_the_folder(path: str, *, shelf: Path) -> None:
    for uri in ("http://shelf.test/", "urn:"):
        (diagnostic,) = lowered({"$ref": f"{uri}{path}"}, RefDir(shelf, uri))
        assert diagnostic.code == "unresolvable-reference"
        assert "secret" not in (diagnostic.hint or "")


@for_each(["http://127.0.0.1:9/x", "https://example.test/x", "file:///etc/hostname"])
def test_nothing_is_fetched(reference: str) -> None:
    (diagnostic,) = lowered({"$ref": reference})
    assert diagnostic.code == "unresolvable-reference"
    assert "never downloads" in diagnostic.hint


@for_each([("assertion", True), ("annotation", False)])
def test_a_meta_schema_decides_about_formats(word: str, is_constraint: bool, *, shelf: Path) -> None:
    vocabularies = [
        f"https://json-schema.org/draft/2020-12/vocab/{name}" for name in ("core", f"format-{word}")
    ]
    meta = {
        "$id": "http://shelf.test/meta.json",
        "$schema": D2020,
        "$vocabulary": dict.fromkeys(vocabularies, True),
    }
    write_json(shelf / "meta.json", meta)
    schema = {"$schema": "http://shelf.test/meta.json", "format": "date"}
    issues = tool_of(schema, ref_dir={"http://shelf.test/": shelf}, formats="annotate").validate("x")
    assert bool(issues) is is_constraint


@for_each([D4, D7, D2020])
def test_words_next_to_a_reference_are_kept(dialect: str) -> None:
    words = {"title": "A", "description": "B.", "default": 1}
    schema = {"$schema": dialect, "definitions": {"a": {}}, "$ref": "#/definitions/a", **words}
    assert support.lowered(schema).annotations == words


def test_meta_schemas_are_at_hand() -> None:
    for dialect in (D7, D2019, D2020):
        tool = tool_of({"$schema": dialect, "$ref": dialect})
        assert tool.validate({"type": "string", "properties": {"a": {"minLength": 1}}}) == []
        assert tool.validate({"properties": {"a": {"minLength": "1"}}}) != []


@for_each(CASES["causes"])
def test_a_diagnostic_names_the_usual_cause(schema: Any, code: Any, pointer: Any, hint: Any) -> None:
    (diagnostic,) = lowered(schema)
    assert (diagnostic.code, diagnostic.place.pointer) == (code, f"/0/schema{pointer}")
    assert hint in diagnostic.hint
