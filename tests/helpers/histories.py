"""Sound histories of every provider, made by a seed: questions, loops of calls with results, pictures, thinking."""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

from toolgen_transcripts import Media, Reasoning, Text, ToolCall, ToolResult, Transcript, Turn

Message = dict[str, Any]
PROVIDERS = ["anthropic", "bedrock", "gemini", "gemini_interactions", "openai", "openai_responses"]
LISTS = {"gemini": "contents", "gemini_interactions": "input", "openai_responses": "input"}
"""The members with the messages, where a request calls them otherwise."""
WORDS = ("the", "weather", "in", "Paris", "was", "grey", "while", "Rome", "had", "sun", "all", "week")


def words(rng: random.Random, most: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, most)))


def rounds(rng: random.Random, number: str, thinking: bool) -> list[Turn]:
    """A loop of calls and results after what the user said, and mostly an answer."""
    out: list[Turn] = []
    for step in range(rng.randint(0, 3)):
        ids = [f"call_{number}_{step}_{i}" for i in range(rng.randint(1, 3))]
        thought = (Reasoning("hm", "c2ln"),) if thinking and step == 0 else ()
        text = (Text(words(rng, 9)),) if rng.random() < 0.4 else ()
        calls = tuple(ToolCall(id, "look", {"q": words(rng, 6)}) for id in ids)
        out.append(Turn("assistant", (*thought, *text, *calls)))
        out.append(Turn("tool", tuple(ToolResult(id, (Text(words(rng, 40)),), None, "look") for id in ids)))
    out.append(Turn("assistant", (Text(words(rng, 30)),)))
    return out


def history(provider: str, seed: int, turns: int = 6) -> list[Message]:
    """A sound history of this provider that ends with the user."""
    rng = random.Random(seed)
    thinking = rng.random() < 0.5
    made: list[Turn] = []
    for number in range(turns):
        picture = (Media("image", "image/png", b"x" * 99),) if rng.random() < 0.1 else ()
        made += [Turn("user", (Text(words(rng, 20)), *picture)), *rounds(rng, str(number), thinking)]
    made.append(Turn("user", (Text(words(rng, 10)),)))
    system = (Text("Be brief."),) if provider == "openai" else ()
    module = import_module(f"toolgen_transcripts.{provider}")
    return module.encode_messages(Transcript(tuple(made), system)).messages


def blocks(content: tuple[Any, ...]) -> list[Any]:
    """Return blocks of Bedrock's; texts become blocks."""
    return [{"text": c} if isinstance(c, str) else c for c in content]


def user(*content: Any) -> Message:
    """Return a message of Bedrock's."""
    return {"role": "user", "content": blocks(content)}


def assistant(*content: Any) -> Message:
    """Return the model's message, likewise."""
    return {**user(*content), "role": "assistant"}


def use(id: Any = "t1", name: Any = "f", **more: Any) -> Message:
    """Return a call of Bedrock's."""
    return {"toolUse": {"toolUseId": id, "name": name, "input": {}, **more}}


def result(id: Any = "t1", *content: Any, **more: Any) -> Message:
    """Return the result of a call of Bedrock's."""
    return {"toolResult": {"toolUseId": id, "content": blocks(content or ("grey",)), **more}}


def paper(name: str, **more: Any) -> Message:
    """Return a document of Bedrock's."""
    return {"document": {"format": "pdf", "name": name, "source": {"bytes": b"x"}, **more}}
