"""The fastmcp adapter: servers of FastMCP's own, through its in-memory client."""

from __future__ import annotations

import asyncio
from inspect import signature
from typing import Any

import pytest
from fastmcp import Client, Context, FastMCP
from fastmcp.exceptions import NotFoundError, ToolError
from fastmcp.server.middleware import Middleware
from fastmcp.tools import ToolResult
from fastmcp.utilities.tests import run_server_async

from toolgen_adapters.fastmcp import ToolgenMiddleware


async def called(client: Client[Any], name: str, arguments: Any) -> Any:
    return await client.call_tool(name, arguments, raise_on_error=False)


def text_of(result: Any) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")


def test_only_rounds_that_another_middleware_begins_are_compared() -> None:
    class Rounds(Middleware):
        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            checks.begin_round(context)
            return await call_next(context)

    sessions: dict[str, Any] = {"mode": "legacy"} if "mode" in signature(Client).parameters else {}

    def recoveries() -> list[str]:
        """What three clients are told of the same mistake, three times each; the protocol is one with sessions."""

        async def main() -> list[str]:
            found = []
            for _ in range(3):
                async with Client(mcp, **sessions) as client:
                    answers = [await called(client, "pay", {"amount": "x"}) for _ in range(3)]
                    found += [answer.meta["toolgen"]["recovery"] for answer in answers]
            return found

        return asyncio.run(main())

    mcp, _ = own_server()
    assert recoveries() == ["correct"] * 9
    mcp, _ = own_server()
    (checks,) = (each for each in mcp.middleware if isinstance(each, ToolgenMiddleware))
    mcp.middleware.insert(0, Rounds())
    assert recoveries() == ["correct", "correct", "give_up"] * 3


def own_server(*middleware: Middleware, **options: Any) -> tuple[FastMCP, list[Any]]:
    """A server with tools of its own, and the arguments that they ran with."""
    ran: list[Any] = []
    mcp: FastMCP = FastMCP("own")
    mcp.add_middleware(ToolgenMiddleware(**options))
    for other in middleware:
        mcp.add_middleware(other)

    @mcp.tool
    def pay(amount: int, ctx: Context) -> str:
        """Pay an amount."""
        ran.append(amount)
        return f"paid {amount} in {ctx.request_id is not None}"

    @mcp.tool
    def fail() -> str:
        """Fail."""
        raise ToolError("no money left")

    return mcp, ran


def ask(mcp: FastMCP, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    async def main() -> list[Any]:
        async with Client(mcp) as client:
            return [await called(client, name, arguments) for name, arguments in calls]

    return asyncio.run(main())


def test_the_listed_schema_is_the_servers_own() -> None:
    async def listed(mcp: FastMCP) -> list[Any]:
        async with Client(mcp) as client:
            return [tool.model_dump() for tool in await client.list_tools()]

    checked, _ = own_server()
    plain, _ = own_server()
    plain.middleware.clear()
    assert asyncio.run(listed(checked)) == asyncio.run(listed(plain))
    assert "ctx" not in str(asyncio.run(listed(checked))[0])


def test_what_fastmcp_would_coerce_is_refused_or_repaired() -> None:
    mcp, ran = own_server()
    assert ask(mcp, ("pay", {"amount": "5"}))[0].is_error
    assert ran == []
    mcp, ran = own_server(repair=True)
    (answer,) = ask(mcp, ("pay", {"amount": "5"}))
    assert (answer.is_error, ran) == (False, [5])


def test_a_tools_own_error_is_the_tools_own() -> None:
    mcp, _ = own_server()
    (answer,) = ask(mcp, ("fail", {}))
    assert answer.is_error
    assert "no money left" in text_of(answer)


def test_other_middleware_answers_as_before() -> None:
    class Cached(Middleware):
        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            if context.message.name == "hidden":
                return ToolResult(content="from the cache")
            return await call_next(context)

    mcp, _ = own_server(Cached())
    (answer,) = ask(mcp, ("hidden", {"any": "thing"}))
    assert (answer.is_error, text_of(answer)) == (False, "from the cache")


def test_tools_of_mounted_servers_are_checked_by_the_names_that_clients_see() -> None:
    inner, ran = own_server()
    inner.middleware.clear()
    outer: FastMCP = FastMCP("outer")
    outer.add_middleware(ToolgenMiddleware())
    outer.mount(inner, namespace="bank")
    refused, answered = ask(outer, ("bank_pay", {"amount": "x"}), ("bank_pay", {"amount": 2}))
    assert "bank_pay was not run" in text_of(refused)
    assert (answered.is_error, ran) == (False, [2])


def test_a_tool_that_changes_is_checked_as_it_is_now() -> None:
    def mcp_with(kind: type) -> FastMCP:
        mcp.local_provider.remove_tool("pay")

        def pay(amount: Any) -> str:
            return f"paid {amount}"

        pay.__annotations__["amount"] = kind
        mcp.tool(pay)
        return mcp

    mcp, _ = own_server()
    assert not ask(mcp, ("pay", {"amount": 5}))[0].is_error
    assert not ask(mcp_with(str), ("pay", {"amount": "five"}))[0].is_error

    async def listed_again() -> Any:
        async with Client(mcp_with(int)) as client:
            await client.list_tools()
            return await called(client, "pay", {"amount": "five"})

    assert "pay was not run" in text_of(asyncio.run(listed_again()))
    mcp.local_provider.remove_tool("pay")
    (gone,) = ask(mcp, ("pay", {"amount": "five"}))
    assert "amount" not in text_of(gone)


def test_clients_over_http_know_nothing_of_each_other() -> None:
    mcp, _ = own_server()

    async def main() -> list[str]:
        async with run_server_async(mcp) as url:
            said = []
            for _ in range(3):
                async with Client(url) as client:
                    said.append(text_of(await called(client, "pay", {"amount": "x"})))
            return said

    assert len(set(asyncio.run(main()))) == 1


class Hides(Middleware):
    """Hides the tools of administrators, as FastMCP's middleware for access does."""

    async def on_list_tools(self, context: Any, call_next: Any) -> Any:
        return [tool for tool in await call_next(context) if not tool.name.startswith("admin_")]

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        if context.message.name.startswith("admin_"):
            raise NotFoundError(f"Unknown tool: {context.message.name}")
        return await call_next(context)


@pytest.mark.parametrize("place", [0, 1])
def test_a_hint_names_only_tools_that_the_client_sees(place: int) -> None:
    mcp: FastMCP = FastMCP("own")

    @mcp.tool
    def pay(amount: int) -> str:
        return "paid"

    @mcp.tool
    def admin_delete(customer: int) -> str:
        return "gone"

    middleware: list[Middleware] = [Hides()]
    middleware.insert(place, ToolgenMiddleware())
    for each in middleware:
        mcp.add_middleware(each)

    async def main() -> str:
        said = []
        async with Client(mcp) as client:
            for name in ("delete", "admin_delet", "admin_delete"):
                for sent in ({}, {"customer": "x"}):
                    try:
                        result = await client.call_tool(name, sent, raise_on_error=False)
                        said.append(result.content[0].text.replace(name, ""))
                    except Exception as error:
                        said.append(str(error).replace(name, ""))
        return "\n".join(said)

    text = asyncio.run(main())
    assert "admin_" not in text
    assert "customer" not in text
