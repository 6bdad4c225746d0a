"""The part of a history that `fit` keeps within a budget, and whether it can be sent, compared with two libraries."""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from recorded import requests

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from helpers.histories import PROVIDERS, history

from toolgen_transcripts import check, estimate_tokens, fit
from toolgen_transcripts.codec.wire import wire_of

Message = dict[str, Any]
Cut = Callable[[list[Message], str, int], list[Message] | None]
WINDOWS = 200
LIBRARIES = {"openai", "anthropic"}


def cost(messages: list[Message]) -> int:
    return sum(map(estimate_tokens, messages))


def by_toolgen(messages: list[Message], provider: str, budget: int) -> list[Message] | None:
    return fit(messages, provider, max_tokens=budget).messages


def by_turnsafe(messages: list[Message], provider: str, budget: int) -> list[Message] | None:
    turnsafe = import_module("turnsafe")
    try:
        return turnsafe.fit(messages, budget, provider, counter=estimate_tokens)  # type: ignore[no-any-return]
    except (turnsafe.ContextBudgetError, turnsafe.InvalidHistoryError):
        return None


def by_tessera(messages: list[Message], provider: str, budget: int) -> list[Message] | None:
    def count(value: Any) -> int:
        return cost(value) if isinstance(value, list | tuple) else estimate_tokens(value)

    tessera = import_module("tessera")
    try:
        result = tessera.compact(messages, max_tokens=budget, adapter=provider, token_counter=count)
    except (ValueError, TypeError):
        return None
    return None if result.refused else list(result.transcript)


CUTS: dict[str, Cut] = {"toolgen": by_toolgen, "turnsafe": by_turnsafe, "tessera": by_tessera}


def is_own(message: Message, provider: str) -> bool:
    """Whether a message has the user's own words."""
    content = message.get(wire_of(provider).messages.content_key)
    results = ("toolResult", "functionResponse", "function_response", "tool_use_id")
    parts = content if isinstance(content, list) else ()
    return message.get("role") == "user" and not any(key in part for part in parts for key in results)


@dataclass
class Score:
    windows: int = 0
    none: int = 0
    broken: int = 0
    own: int = 0
    over: int = 0
    share: float = 0
    sound: float = 0

    def add(self, messages: list[Message], kept: list[Message] | None, provider: str, budget: int) -> None:
        self.windows += 1
        if kept is None:
            self.none += 1
            return
        broken = bool(check(kept, provider))
        spoken = [m for m in kept if m.get("role") not in ("system", "developer")]
        own = bool(spoken) and is_own(spoken[0], provider)
        over = cost(kept) > budget
        share = cost(kept) / cost(messages)
        self.broken += broken
        self.own += own
        self.over += over
        self.share += share
        self.sound += share if own and not broken and not over else 0

    def row(self) -> str:
        kept, sound = (value / max(1, self.windows) for value in (self.share, self.sound))
        counts = (self.windows, self.none, self.broken, self.own, self.over)
        return " | ".join((*map(str, counts), f"{kept:.3f}", f"{sound:.3f}"))


def synthetic(provider: str) -> Iterator[list[Message]]:
    for seed in range(WINDOWS):
        yield history(provider, seed, turns=6 + seed % 12)


def recorded(provider: str, path: Path) -> Iterator[list[Message]]:
    """Recorded histories, joined from several; one that does not end in an answer gets one."""
    key = wire_of(provider).messages.list_key
    rng = random.Random(1)
    alone = [row["request"][key] for row in requests(path) if row["provider"] == provider]
    sound = [
        m for m in alone if isinstance(m, list) and m and is_own(m[0], provider) and not check(m, provider)
    ]
    answer = history(provider, 1, turns=1)[-2]
    for _ in range(WINDOWS if sound else 0):
        chosen = rng.sample(sound, min(len(sound), rng.randint(4, 9)))
        messages = [message for one in chosen[:-1] for message in (*one, answer)] + chosen[-1]
        if not check(messages, provider):
            yield messages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=Path)
    path = parser.parse_args().requests
    sources: dict[str, Callable[[str], Iterator[list[Message]]]] = {"synthetic": synthetic}
    if path is not None:
        sources["recorded"] = lambda provider: recorded(provider, path)
    print(
        "| histories | provider | by | windows | refused | broken | begin with the user | over | kept | kept sound |"
    )
    print("|" + " --- |" * 10)
    for source, make in sources.items():
        for provider in PROVIDERS:
            windows = list(make(provider))
            for name, cut in CUTS.items():
                score = Score()
                if name != "toolgen" and (provider not in LIBRARIES or not _is_there(name)):
                    continue
                rng = random.Random(0)
                for messages in windows:
                    budget = int(cost(messages) * rng.uniform(0.1, 0.7))
                    score.add(messages, cut(messages, provider, budget), provider, budget)
                print(f"| {source} | {provider} | {name} | {score.row()} |")


def _is_there(name: str) -> bool:
    try:
        import_module(name)
    except ImportError:
        return False
    return True


if __name__ == "__main__":
    main()
