"""`Payload`: nothing invalid is ever made, what is valid is shown faithfully and checked once."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any, Literal

import pytest
from helpers.support import JsonObject, for_each, no_collection
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializeAsAny,
    TypeAdapter,
    ValidationError,
    field_serializer,
    model_serializer,
)
from pydantic_core import to_json, to_jsonable_python

from toolgen_runtime import InvalidPayload, ValidationIssue
from toolgen_runtime.payloads.payload import JsonInteger, JsonNumber, Payload, PayloadRoot, bind


class Owner(Payload):
    model_config = ConfigDict(extra="allow")
    login: str | None
    boss: Owner | None = None


class Issue(Payload):
    model_config = ConfigDict(extra="forbid")
    title: str
    class_: Annotated[JsonInteger, Field(alias="class")] = 10
    kind: Literal["bug", "task"] | None = None
    owner: Owner | None = None
    owners: list[Owner] | None = None
    weight: JsonNumber | bool | None = None
    anything: Any = None
    mixed: JsonInteger | str | bool | list[Any] | dict[str, Any] | None = None


class Either(PayloadRoot):
    root: Owner | str | list[Owner]


checked: list[str] = []


def check_issue(payload: Any) -> list[ValidationIssue]:
    checked.append("issue")
    if not isinstance(payload, dict):
        return [ValidationIssue((), "type", ("object",), payload)]
    if "title" not in payload:
        return [ValidationIssue(("title",), "required", ("title",))]
    title = payload["title"]
    return [ValidationIssue(("title",), "maxLength", 5, title)] if len(title) > 5 else []


def check_owner(payload: Any) -> list[ValidationIssue]:
    checked.append("owner")
    return [] if isinstance(payload, dict) else [ValidationIssue((), "type", ("object",), payload)]


def check_either(payload: Any) -> list[ValidationIssue]:
    checked.append("either")
    return [ValidationIssue((), "type", ("object", "string"), 5)] if payload == 5 else []


SCHEMA = {
    "$defs": {"short": {"type": "string", "maxLength": 5}},
    "type": "object",
    "properties": {"title": {"$ref": "#/$defs/short"}},
    "required": ["title"],
}
bind(Owner, validate=check_owner)
bind(Issue, validate=check_issue, tool="create-issue", schema=json.dumps(SCHEMA))
bind(Either, validate=check_either, tool="either", schema="true")


class Outer(BaseModel):
    """A model of a user's, with payloads as fields."""

    issue: Issue
    owner: Owner | None = None
    either: Either | None = None


FULL = {
    "title": "t",
    "class": 3,
    "kind": "bug",
    "owner": {"login": None, "extra": 1, "boss": {"login": "b"}},
    "owners": [{"login": "a"}, {"login": "b", "x-y": [1, {"z": None}]}],
    "weight": 2**70,
    "anything": {"deep": [1.5, None, "\ud800"]},
    "mixed": {"a": 1},
}


def dumps(model: BaseModel) -> list[Any]:
    return [model.model_dump(mode=mode) for mode in ("python", "json")]


def same(left: Any, right: Any) -> bool:
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


@for_each(
    [
        FULL,
        {"title": ""},
        {"title": "\ud800", "kind": None, "owner": None},
        *(
            {"title": "t", "mixed": value}
            for value in (1, 2**65, "s", "1", True, False, [1, [True]], {}, None)
        ),
        *({"title": "t", "weight": value} for value in (1, 1.0, 1.5, -(2**80), 1e300, float("inf"), True)),
    ]
)
def test_a_checked_payload_comes_back_untouched(payload: JsonObject) -> None:
    before = copy.deepcopy(payload)
    model = Issue.from_checked(payload)
    for dumped in (*dumps(model), json.loads(model.model_dump_json())):
        assert same(dumped, payload)
    assert same(payload, before)


@for_each([(1.0, 1), (-0.0, 0), (1e300, int(1e300)), (2**90, 2**90)])
def test_a_whole_number_is_an_integer(given: float, shown: int) -> None:
    model = Issue.from_checked({"title": "t", "class": given})
    assert type(model.class_) is int
    assert model.class_ == shown
    assert dumps(model)[1]["class"] == given


def test_attributes_defaults_and_unset_fields() -> None:
    model = Issue.from_checked({"title": "t", "owner": {"login": "a", "extra": 1}})
    assert (model.title, model.class_, model.kind) == ("t", 10, None)
    assert isinstance(model.owner, Owner)
    assert model.owner.model_extra == {"extra": 1}


class Open(Payload):
    model_config = ConfigDict(extra="allow")
    x_y: Annotated[str | None, Field(alias="x-y")] = None
    inner: Open | None = None


class Around(Payload):
    """A class that no schema names twice, around one that is recursive."""

    model_config = ConfigDict(extra="allow")
    x_y: Annotated[str | None, Field(alias="x-y")] = None
    inner: Open | None = None


for cls in (Open, Around):
    bind(cls, validate=lambda _: [])


@for_each(
    product(
        [{"x_y": None}, {"x_y": 1, "x-y": "a"}, {"x-y": "a"}, {"inner": {"x_y": 1, "inner": {"x-y": None}}}],
        [Open, Around],
    )
)
def test_a_key_is_never_taken_for_an_attribute(payload: JsonObject, cls: type[Payload]) -> None:
    model = cls.from_checked(payload)
    assert dumps(model) == [payload, payload]
    assert cls.model_validate(payload) == model


def test_a_class_whose_attributes_are_no_keys_is_made_by_either() -> None:
    by_key, by_name = Open(**{"x-y": "a", "inner": {"x-y": None}}), Open(x_y="a", inner=Open(x_y=None))
    assert by_key == by_name
    assert dumps(by_name) == [{"x-y": "a", "inner": {"x-y": None}}] * 2


@for_each(["class_", "boss_", "model_dump", "__class__", "self"])
def test_a_key_spelt_like_an_attribute_is_an_unknown_key(key: str) -> None:
    payload = {"login": "a", key: 1}
    assert dumps(Owner.from_checked(payload)) == [payload, payload]
    assert dumps(Owner.model_validate(payload)) == [payload, payload]


Way = Callable[[JsonObject], Any]
WAYS: dict[str, Way] = {
    "constructor": lambda payload: Issue(**payload),
    "model_construct": lambda payload: Issue.model_construct(**payload),
    "model_construct with a set": lambda payload: Issue.model_construct(_fields_set={"kind"}, **payload),
    "model_validate": Issue.model_validate,
    "model_validate strictly": lambda payload: Issue.model_validate(payload, strict=False),
    "model_validate_json": lambda payload: Issue.model_validate_json(json.dumps(payload)),
    "TypeAdapter": TypeAdapter(Issue).validate_python,
    "TypeAdapter of JSON": lambda payload: TypeAdapter(Issue).validate_json(json.dumps(payload)),
    "TypeAdapter of a list": lambda payload: TypeAdapter(list[Issue]).validate_python([payload])[0],
    "TypeAdapter of a union": lambda payload: TypeAdapter(Issue | None).validate_python(payload),
    "field": lambda payload: Outer(issue=payload).issue,  # type: ignore[arg-type]
    "field of JSON": lambda payload: Outer.model_validate_json(json.dumps({"issue": payload})).issue,
    "model_copy": lambda payload: Issue(title="x").model_copy(update=payload),
    "copy": lambda payload: Issue(title="x").copy(update=payload),
    "parse_obj": Issue.parse_obj,
    "parse_raw": lambda payload: Issue.parse_raw(json.dumps(payload)),
    "construct": lambda payload: Issue.construct(**payload),
    "validate": Issue.validate,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("way", WAYS)
def test_every_public_way_checks_once_and_refuses(way: str) -> None:
    make = WAYS[way]
    payload = {"title": "t", "class": 3, "owner": {"login": "a", "boss": {"login": "b"}}}
    make(payload)
    checked.clear()
    model = make(payload)
    assert checked.count("issue") == 1 + way.endswith("copy")
    assert "owner" not in checked
    assert model == Issue.from_checked(payload)
    with pytest.raises(ValidationError) as refused:
        make({"title": "too long"})
    error = refused.value.errors()[0]["ctx"]["error"]
    assert isinstance(error, InvalidPayload)
    assert [(issue.path, issue.constraint) for issue in error.issues()] == [(("title",), "maxLength")]
    assert "create-issue: title breaks maxLength" in str(refused.value)


def test_what_was_made_cannot_be_made_invalid() -> None:
    model = Issue(title="t")
    with pytest.raises(ValidationError, match="frozen"):
        model.title = "too long"
    with pytest.raises(ValidationError, match="frozen"):
        del model.kind
    with pytest.raises(ValidationError, match="required"):
        model.copy(exclude={"title"})
    with pytest.raises(ValidationError, match="frozen"):
        Either("a").root = "b"


@for_each([Either, Either.model_validate, Either.model_construct, Either.parse_obj])
@pytest.mark.filterwarnings("ignore")
def test_roots_of_any_kind(make: Callable[[Any], Either]) -> None:
    for payload in ("s", {"login": "a"}, [{"login": "a", "boss": None}]):
        assert dumps(make(payload)) == [payload, payload]
    assert isinstance(make({"login": "a"}).root, Owner)
    with pytest.raises(ValidationError, match="either: payload breaks type"):
        make(5)


def test_a_root_takes_its_value_by_name_and_as_keys() -> None:
    assert Either(root="s") == Either("s") == Either("t").model_copy(update={"root": "s"})
    assert Either(login="a") == Either({"login": "a"})
    with pytest.raises(ValidationError):
        Either("s").model_copy(update={"root": 5})


def test_the_constructor_takes_names_keys_and_instances() -> None:
    boss = Owner(login="b")
    model = Issue(title="t", class_=5, owner=Owner(login="a", boss=boss), owners=[boss])
    assert model == Issue(
        **{"title": "t", "class": 5, "owner": {"login": "a", "boss": boss}, "owners": [boss]}
    )
    assert dumps(model)[0]["class"] == 5
    assert Outer(issue=model).issue is model


@for_each([{"title": 5}, {"title": b"t"}, {"title": "t", "class": "5"}, {"title": "t", "class": True}])
def test_nothing_is_coerced(payload: JsonObject) -> None:
    """Not even by a class with types of its own, of which the check that it inherits knows nothing."""

    class Narrower(Issue):
        kind: Literal["bug"] | None = None

    for wrong in (payload, {"title": "t", "kind": "task"}):
        with pytest.raises((ValidationError, TypeError)):
            Narrower.from_checked(wrong)


class Text(str):
    """A `str` all the same."""


def test_a_view_takes_what_its_check_took() -> None:
    payload = {"title": Text("t"), "kind": Text("bug"), "mixed": [Text("a")], "owner": {"login": Text("l")}}
    model = Issue.from_checked(payload)
    assert dumps(model) == [payload, payload]
    assert model == Issue.from_checked(json.loads(json.dumps(payload)))
    assert model.mixed is not payload["mixed"]


def test_copies_pickles_and_equality() -> None:
    model = Issue.from_checked(FULL)
    for twin in (
        copy.copy(model),
        copy.deepcopy(model),
        pickle.loads(pickle.dumps(model)),
        model.model_copy(),
    ):
        assert twin == model
        assert dumps(twin) == dumps(model)
    assert model != Issue(title="other")
    assert repr(Owner(login="a")) == "Owner(login='a', boss=None)"
    assert hash(Owner(login="a")) == hash(Owner(login="a"))
    assert pickle.loads(pickle.dumps(Either("s"))) == Either("s")


MADE = Issue(title="t", class_=5, owner=Owner(login="a", boss=Owner(login="b")), owners=[Owner(login=None)])
SENT = {
    "title": "t",
    "class": 5,
    "owner": {"login": "a", "boss": {"login": "b"}},
    "owners": [{"login": None}],
}


class Holder(BaseModel):
    """A model of a user's, with payloads in every place that one can have."""

    one: Issue
    base: Payload
    any_: Annotated[Any, Field(alias="any")]
    union: Owner | Issue | str
    root: str | Either | Issue
    several: list[Issue | Owner]
    named: dict[str, Owner]
    as_any: SerializeAsAny[BaseModel]
    unset: int | None = None


@dataclass
class Held:
    issue: Issue


def holder() -> Holder:
    payloads = dict.fromkeys(("one", "base", "any", "union", "as_any"), MADE)
    lists = {"several": [MADE, MADE.owner], "named": {"x-y": MADE.owner}}
    return Holder.model_validate({**payloads, **lists, "root": Either({"login": "a"})})


HELD = {
    **dict.fromkeys(("one", "base", "any_", "union", "as_any"), SENT),
    "root": {"login": "a"},
    "several": [SENT, SENT["owner"]],
    "named": {"x-y": SENT["owner"]},
    "unset": None,
}
BY_KEY = {"any" if name == "any_" else name: value for name, value in HELD.items() if name != "unset"}
DUMPS: dict[str, tuple[Callable[[], Any], Any]] = {
    "model_dump": (lambda: MADE.model_dump(), SENT),
    "model_dump as JSON": (lambda: MADE.model_dump(mode="json"), SENT),
    "model_dump_json": (lambda: json.loads(MADE.model_dump_json()), SENT),
    "serialize_as_any": (lambda: MADE.model_dump(serialize_as_any=True), SENT),
    "some of it": (
        lambda: MADE.model_dump(include={"class_": True, "owner": {"boss"}}),
        {"class": 5, "owner": {"boss": {"login": "b"}}},
    ),
    "without nulls": (lambda: MADE.model_dump(exclude_none=True), {**SENT, "owners": [{}]}),
    "by names, with defaults": (lambda: MADE.model_dump(by_alias=False, exclude_unset=False), SENT),
    "TypeAdapter": (lambda: TypeAdapter(Issue).dump_python(MADE), SENT),
    "TypeAdapter of JSON": (lambda: json.loads(TypeAdapter(list[Issue]).dump_json([MADE])), [SENT]),
    "TypeAdapter of a union": (lambda: TypeAdapter(Owner | Issue).dump_python(MADE), SENT),
    "TypeAdapter of a dataclass": (lambda: TypeAdapter(Held).dump_python(Held(MADE)), {"issue": SENT}),
    "to_jsonable_python": (lambda: to_jsonable_python({"a": [MADE, Either("s")]}), {"a": [SENT, "s"]}),
    "to_json": (lambda: json.loads(to_json([MADE], by_alias=False)), [SENT]),
    "within a model": (lambda: holder().model_dump(), HELD),
    "within a model, as JSON": (lambda: json.loads(holder().model_dump_json()), HELD),
    "within a model, by alias": (lambda: holder().model_dump(by_alias=True, exclude_unset=True), BY_KEY),
    "within a model, some of it": (
        lambda: holder().model_dump(include={"one": {"title", "class_"}}),
        {"one": {"title": "t", "class": 5}},
    ),
    "within a model, without nulls": (
        lambda: holder().model_dump(exclude_none=True)["one"],
        {**SENT, "owners": [{}]},
    ),
    "roots": (lambda: [Either("s").model_dump(), Either({"login": "a"}).model_dump()], ["s", {"login": "a"}]),
}


@pytest.mark.filterwarnings("error")
@for_each(DUMPS)
def test_every_way_of_dumping_gives_the_payload(dump: Any, expected: Any) -> None:
    assert same(dump(), expected)


def test_a_subclass_dumps_what_it_says() -> None:
    class Loud(Issue):
        @field_serializer("title")
        def shout(self, title: str) -> str:
            return title.upper()

    class Wrapped(Issue):
        @model_serializer(mode="wrap")
        def wrap(self, inner: Any) -> JsonObject:
            return {"wrapped": inner(self)}

    assert Loud(title="t", class_=1).model_dump() == {"title": "T", "class": 1}
    assert Wrapped(title="t").model_dump() == {"wrapped": {"title": "t"}}
    assert Outer(issue=Loud(title="t")).model_dump(exclude_none=True) == {"issue": {"title": "T"}}


@for_each([True, False])
def test_a_lone_surrogate_is_dumped_as_an_escape(ensure_ascii: bool) -> None:
    text = Issue(title="\ud800").model_dump_json(ensure_ascii=ensure_ascii)
    assert text == '{"title":"\\ud800"}'


def test_what_is_no_payload_is_pydantics_to_judge() -> None:
    with pytest.warns(UserWarning, match="Expected `Issue`"):
        assert Outer.model_construct(issue="x").model_dump()["issue"] == "x"
    with pytest.raises(TypeError, match="mod"):
        Issue(title="t").model_dump(mod="json")


class Whole(Payload):
    title: str


WHOLE = '{"type": "object", "properties": {"title": {"type": "string", "maxLength": 5}}}'
bind(Whole, validate=lambda _: [], tool="whole", schema=WHOLE)


def test_the_schema_is_the_tools_own() -> None:
    assert Issue.model_json_schema() == SCHEMA
    assert Issue.model_json_schema() is not Issue.model_json_schema()
    assert Either.model_json_schema() == {}
    assert TypeAdapter(Whole).json_schema() == json.loads(WHOLE)
    assert TypeAdapter(list[Whole]).json_schema()["$defs"]["Whole"] == json.loads(WHOLE)
    assert "properties" in Outer.model_json_schema()["$defs"]["Issue"]  # the view's: its own has a reference
    assert Owner.model_json_schema()["$defs"]["Owner"]["required"] == ["login"]


class Tree(Payload):
    model_config = ConfigDict(extra="forbid")
    kids: list[Tree] | None = None


TREE = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#"}}}}
bind(Tree, validate=lambda _: [], tool="tree", schema=json.dumps(TREE))


def test_a_recursive_schema_within_another_is_that_of_the_view() -> None:
    assert Tree.model_json_schema() == TREE
    schema = TypeAdapter(list[Tree]).json_schema()
    assert schema["items"] == {"$ref": "#/$defs/Tree"}
    assert schema["$defs"]["Tree"]["properties"]["kids"]["anyOf"][0]["items"] == {"$ref": "#/$defs/Tree"}


def nested(levels: int) -> JsonObject:
    payload: JsonObject = {}
    for _ in range(levels):
        payload = {"kids": [payload]}
    return payload


@no_collection()
def test_depth() -> None:
    assert dumps(Tree.from_checked(nested(90))) == [nested(90)] * 2
    assert Tree.from_checked(nested(200)).model_dump() == nested(200)
    for way in (Tree.from_checked, Tree.model_validate, lambda payload: Tree(**payload)):
        with pytest.raises(ValidationError):
            way(nested(20_000))


def test_a_subclass_is_itself_and_checked_too() -> None:
    class Titled(Issue):
        @property
        def shouted(self) -> str:
            return self.title.upper()

    assert Issue(title="t").title == "t"
    assert Titled(title="t").shouted == "T"
    assert type(Titled.from_checked({"title": "t"})) is Titled
    with pytest.raises(ValidationError, match="maxLength"):
        Titled(title="too long")


def test_a_class_without_a_check_is_a_strict_model() -> None:
    class Unbound(Payload):
        model_config = ConfigDict(extra="forbid")
        n: JsonInteger

    assert Unbound(n=1).n == Unbound.model_validate({"n": 1.0}).n == 1
    with pytest.raises(ValidationError):
        Unbound.model_validate({"n": "1"})
