"""Asking the user for a value that only they can know: what is asked, and what each answer leads to."""

from __future__ import annotations

from typing import Any

from helpers.support import TEXT, WHOLE, JsonObject, for_each, obj

from toolgen_runtime import Conversation


def tool(properties: JsonObject, *required: str) -> JsonObject:
    schema = {"type": "object", "properties": properties, "required": [*required]}
    return {"name": "book", "description": "Book a table.", "inputSchema": schema}


NAME = {"type": "string", "description": "The name of the guest", "maxLength": 40}
BOOK = tool({"name": NAME, "day": TEXT, "pin": {"type": "string", "writeOnly": True}}, "name")


def rejected(conversation: Conversation, arguments: Any) -> Any:
    output = conversation.check("book", arguments)
    assert not output.ok
    return output


def asking() -> Conversation:
    return Conversation([BOOK], ask=True)


def asked(conversation: Conversation) -> Any:
    return conversation.question(rejected(conversation, {}))


def test_one_missing_value_is_asked_for_with_the_fields_own_schema() -> None:
    conversation = asking()
    question = conversation.question(rejected(conversation, {"day": "today"}))
    assert question.message == "What should the name of the guest be?"
    assert question.schema == obj("name", name=NAME)
    assert (question.field, question.key) == ("name", "name")


def test_an_accepted_answer_completes_the_call_and_the_model_reads_it() -> None:
    conversation = asking()
    output = rejected(conversation, {"day": "today"})
    question = conversation.question(output)
    checked = conversation.answered(question, "accept", {"name": "Kim"})
    assert (checked.ok, checked.payload) == (True, {"day": "today", "name": "Kim"})
    done = conversation.returned(checked, "booked")
    assert done.text() == 'booked\nNote: the user was asked for "name" and gave "Kim".'
    assert conversation.ledger.turn.attempted == 1


def test_what_is_repaired_in_an_answer_is_told_too() -> None:
    conversation = Conversation([tool({"seats": WHOLE}, "seats")], ask=True, repair=True)
    question = asked(conversation)
    assert len(conversation.answered(question, "accept", {"seats": "5"}).notes) == 2


def test_an_answer_that_breaks_the_schema_leads_to_its_hint() -> None:
    conversation = asking()
    question = asked(conversation)
    output = conversation.answered(question, "accept", {"name": "x" * 41})
    assert not output.ok
    assert "40" in output.text()


@for_each(
    [
        ("decline", None, "give_up", "declined to give it. Do not ask again; go on without this call."),
        ("cancel", None, "ask_user", "closed the question without an answer. Ask in your own words"),
        ("accept", {}, "ask_user", "closed the question without an answer"),
        ("accept", None, "ask_user", "closed the question without an answer"),
    ]
)
def test_a_call_without_an_answer_says_what_to_do_next(
    action: Any, content: Any, recovery: str, says: str
) -> None:
    conversation = asking()
    question = asked(conversation)
    output = conversation.answered(question, action, content)
    assert (output.ok, output.executed, output.recovery) == (False, False, recovery)
    assert says in output.text()
    assert output.retry_hint.example_input is None


def test_a_value_is_asked_for_once_in_a_turn() -> None:
    conversation = asking()
    assert asked(conversation) is not None
    assert asked(conversation) is None
    conversation.begin_turn()
    assert asked(conversation) is not None


@for_each([
        (BOOK, {}, {}),
        (BOOK, {}, {"ask": True, "per_tool": {"book": {"ask": False}}}),
        (BOOK, {"day": 1}, {"ask": True}),
        (BOOK, {"Name": "Kim"}, {"ask": True}),
        (BOOK, {"guest": "Kim"}, {"ask": True}),
        (BOOK, "{", {"ask": True}),
        (tool({"pin": {"type": "string", "writeOnly": True}}, "pin"), {}, {"ask": True}),
        (tool({"name": NAME, "city": TEXT}, "name", "city"), {}, {"ask": True}),
        (tool({"file_path": TEXT}, "file_path"), {}, {"ask": True}),
        (tool({"kind": {"enum": ["a", "b"]}}, "kind"), {}, {"ask": True}),
    ], ids=[
        "not asked to", "not for this tool", "another problem", "another spelling", "it may be there",
        "no arguments", "a secret", "two values", "a value of the machine", "the schema lists the values",
    ])  # fmt: skip
def test_what_is_not_asked(given: JsonObject, arguments: Any, options: Any) -> None:
    conversation = Conversation([given], **options)
    assert conversation.question(rejected(conversation, arguments)) is None


def test_a_key_that_a_registry_calls_secret_is_not_asked_for() -> None:
    from toolgen import compile_tools
    from toolgen_runtime import Registry

    registry = Registry(secrets=["name"]).with_tools(compile_tools([BOOK]))
    conversation = registry.conversation(ask=True)
    assert asked(conversation) is None


@for_each(["password", "api_key", "accessToken", "pin"])
def test_a_key_that_is_named_like_a_secret_is_not_asked_for(name: str) -> None:
    conversation = Conversation([tool({name: TEXT}, name)], ask=True)
    assert asked(conversation) is None


def test_a_host_that_was_interrupted_gets_its_question_again() -> None:
    conversation = asking()
    output = conversation.check("book", {}, call_id="1")
    assert conversation.question(output) is not None
    assert conversation.question(output) is not None, "the same call"
    other = conversation.check("book", {}, call_id="2")
    assert conversation.question(other) is None
    assert conversation.question(other, is_repeated=True) is not None


def test_nothing_is_asked_after_the_hint_gave_up() -> None:
    conversation = Conversation([BOOK], ask=True, max_failures=1)
    output = rejected(conversation, {"day": "today"})
    assert output.recovery == "give_up"
    assert conversation.question(output) is None
