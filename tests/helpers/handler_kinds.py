"""Handlers of each kind: a function, a coroutine, methods of an object that is not hashable, the object itself."""

from __future__ import annotations

from typing import Any

from helpers.support import JsonObject


class Clerk:
    __hash__ = None  # type: ignore[assignment]

    def method(self, payload: JsonObject) -> Any:
        return payload

    async def amethod(self, payload: JsonObject) -> Any:
        return payload

    def more(self, db: str, payload: JsonObject, limit: int = 1) -> Any:
        return payload

    def __call__(self, payload: JsonObject) -> Any:
        return payload


async def coroutine(payload: Any) -> Any:
    return payload


def plain(payload: Any) -> Any:
    return payload
