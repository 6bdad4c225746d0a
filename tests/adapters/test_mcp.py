"""The mcp adapter: client sessions over stdio, low-level servers, results; with mcp 1 and 2."""

from __future__ import annotations

import asyncio
import functools
import gc
import time
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cases import command, environment
from mcp import ClientSession, ClientSessionGroup, StdioServerParameters, types
from seams.mcp import connected, on_stdio, server_of, texts

from toolgen_adapters.mcp import ToolgenMiddleware, checked, guard, to_output

try:
    from mcp import Client, MCPError
except ImportError:  # mcp 1
    Client = None  # type: ignore[assignment,misc]

IS_2 = Client is not None
KINDS = ["session", "client"] if IS_2 else ["session"]


@asynccontextmanager
async def opened(server: str, kind: str, folder: Path) -> AsyncIterator[Any]:
    if kind == "session":
        async with on_stdio(server, folder, page=3) as session:
            yield session
        return
    program, arguments = command(server)
    async with Client(
        StdioServerParameters(command=program, args=arguments, env=environment(server, folder))
    ) as client:
        yield client


@pytest.fixture(scope="module")
def run(portal: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Runs the body of a test with a checked session of a server, which is started once for each kind of session."""
    with ExitStack() as started:
        sessions: dict[tuple[str, str], Any] = {}

        def run(server: str, kind: str, body: Callable[[Any], Awaitable[None]], **options: Any) -> None:
            if (server, kind) not in sessions:
                connection = opened(server, kind, tmp_path_factory.mktemp(server))
                sessions[server, kind] = started.enter_context(portal.wrap_async_context_manager(connection))
            portal.call(body, checked(sessions[server, kind], **options))

        yield run


def text_of(result: Any) -> str:
    return texts(result.content)


def is_error(result: Any) -> bool:
    return bool(result.is_error if IS_2 else result.isError)


def meta_of(result: Any) -> Any:
    return result.meta


def test_what_was_long_ago_is_forgotten(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.monotonic()

    async def body(session: Any) -> None:
        told = []
        for minute in range(0, 80, 20):
            monkeypatch.setattr(
                "toolgen_runtime.conversation.time.monotonic", lambda at=minute: now + 60 * at
            )
            session.begin_round()
            told.append(text_of(await session.call_tool("shape", {"sides": "x"})))
        assert len(set(told)) == 1

    run("odd", "session", body)


@pytest.mark.parametrize("kind", KINDS)
def test_images_and_structured_content_come_as_they_are(kind: str, run: Any) -> None:
    async def body(session: Any) -> None:
        answer = await session.call_tool("picture")
        assert [block.type for block in answer.content] == ["text", "image"]
        assert (answer.structured_content if IS_2 else answer.structuredContent) == {"pixels": 1}
        assert meta_of(answer)["odd"] == "kept"
        assert to_output(answer).ok

    run("odd", kind, body)


def test_a_session_is_otherwise_what_it_was(run: Any) -> None:
    async def body(session: Any) -> None:
        assert isinstance(session, ClientSession)
        names = [tool.name for tool in (await session.list_tools()).tools]
        assert names == ["keys", "open", "ping"]  # a page, as the server sends it
        assert await session.send_ping() is not None

    run("odd", "session", body)


@pytest.mark.parametrize("kind", KINDS)
def test_what_else_a_session_takes_is_passed_on(kind: str, run: Any) -> None:
    steps: list[float] = []

    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        steps.append(progress)

    async def body(session: Any) -> None:
        arguments = {"duration": 0.2, "steps": 2}
        await session.call_tool("trigger-long-running-operation", arguments, progress_callback=progressed)

    run("everything", kind, body)
    assert steps == [1, 2]


@pytest.mark.parametrize("kind", KINDS)
def test_options_reach_the_checks(kind: str, run: Any) -> None:
    issues: list[Any] = []

    async def body(session: Any) -> None:
        repaired = await session.call_tool("get-sum", {"a": "2", "b": 3})
        assert "5" in text_of(repaired)
        refused = await session.call_tool("echo", {"message": "a", "mesage": "b"})
        assert is_error(refused)
        assert "mesage: not a field" in text_of(refused)

    run("everything", kind, body, repair=True, unknown_keys="reject", on_issue=issues.append)
    assert [issue.issue.constraint for issue in issues] == ["type", "unknownKey"]


TOOLS = [
    {
        "name": "add",
        "inputSchema": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
    },
    {"name": "broken", "inputSchema": {"type": "object", "properties": {"a": {"type": "nonsense"}}}},
]


def served(tools: Any, **options: Any) -> tuple[Any, list[Any]]:
    """A low-level server whose calls are guarded, and the calls that came through."""
    ran: list[Any] = []

    def add(a: int) -> str:
        ran.append(("add", a))
        return "ran"

    def broken(a: Any) -> str:
        ran.append(("broken", a))
        return "ran"

    listed = [types.Tool.model_validate(tool) for tool in TOOLS]
    return server_of([add, broken], lambda handler: guard(handler, tools or listed, **options), listed), ran


def told(server: Any, *calls: tuple[str, Any]) -> list[Any]:
    """What a client is answered that makes these calls."""

    async def main() -> list[Any]:
        async with connected(server) as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    return asyncio.run(main())


async def listed_later() -> Any:
    return TOOLS


@pytest.mark.parametrize("tools", [None, lambda: TOOLS, listed_later], ids=["listed", "asked for", "awaited"])
def test_a_guarded_server_refuses_wrong_calls(tools: Any) -> None:
    server, ran = served(tools)
    # `broken` cannot be compiled: it is not checked
    *refusals, added, unchecked = told(
        server, *[("add", {"a": "x"})] * 3, ("add", {"a": 1}), ("broken", {"a": 1})
    )
    assert all(map(is_error, refusals))
    assert "add was not run" in text_of(refusals[0])
    assert [meta_of(one)["toolgen"]["recovery"] for one in refusals] == ["correct"] * 3
    assert not is_error(added)
    assert not is_error(unchecked)
    assert ran == [("add", 1), ("broken", 1)]


@pytest.mark.skipif(not IS_2, reason="mcp 1 has no MCPServer")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_middleware_of_an_mcp_server(mode: str) -> None:
    from mcp.server.mcpserver import MCPServer

    def pay(amount: int) -> str:
        return f"paid {amount}"

    def refund(amount: int) -> str:
        raise AssertionError

    async def main() -> None:
        server = MCPServer("shop")
        server.add_tool(pay)
        server.middleware.append(ToolgenMiddleware(server.list_tools, repair=True))
        async with connected(server, mode) as client:
            paid, repaired, refused = [
                await client.call_tool("pay", {"amount": amount}) for amount in (5, "5", "five")
            ]
            assert (paid.structured_content, text_of(paid)) == ({"result": "paid 5"}, "paid 5")
            assert text_of(repaired).startswith("paid 5\nNote: ")
            assert (is_error(refused), meta_of(refused)["toolgen"]["fields"]) == (True, ["amount"])
            with pytest.raises(MCPError, match='"pay"'):
                await client.call_tool("pays", {"amount": 5})
            server.add_tool(refund)
            assert "refund was not run" in text_of(await client.call_tool("refund", {"amount": "all"}))

    asyncio.run(main())


def test_a_guarded_server_counts_rounds_that_it_is_told_of() -> None:
    """With MCP 2026-07-28, which the client of mcp 2 speaks with a server in its process, each call is for itself."""
    recoveries: list[str] = []

    async def call_tool(name: str, arguments: Any) -> Any:
        raise AssertionError

    class Session:
        pass

    async def main() -> None:
        guarded = guard(call_tool, [types.Tool.model_validate(TOOLS[0])])
        for begin in (guarded.begin_round, guarded.begin_round, guarded.begin_round, guarded.begin_turn):
            context = SimpleNamespace(session=session)
            begin(context)
            parameters = SimpleNamespace(name="add", arguments={"a": "x"})
            for client in (context, SimpleNamespace(session=Session())):
                answer = await guarded(client, parameters)
                recoveries.append(meta_of(answer)["toolgen"]["recovery"])

    session = Session()
    asyncio.run(main())
    assert recoveries == ["correct"] * 4 + ["give_up"] + ["correct"] * 3


def test_a_list_that_fails_or_hangs_does_not_stop_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen_adapters.mcp_tools.LIST_SECONDS", 0.1)

    class Server:
        ran = 0

        async def call_tool(self, name: str, arguments: Any, **options: Any) -> Any:
            self.ran += 1
            return "ran"

    class Failing(Server):
        async def list_tools(self) -> Any:
            raise RuntimeError("no list")

    class Hanging(Server):
        async def list_tools(self) -> Any:
            await asyncio.sleep(30)

    class Once(Server):
        lists = 0

        async def list_tools(self) -> Any:
            self.lists += 1
            if self.lists > 1:
                raise RuntimeError("not again")
            return SimpleNamespace(tools=TOOLS[:1])

    async def main() -> None:
        for server in (Failing(), Hanging()):
            session = checked(server)
            for arguments in ({"a": 1}, {"a": "x"}):
                assert await session.call_tool("add", arguments) == "ran"
        once = Once()
        session = checked(once)
        assert await session.call_tool("add", {"a": 1}) == "ran"
        assert is_error(await session.call_tool("add", {"a": "x"}))
        assert await session.call_tool("add", {"a": 1}) == "ran"
        assert (once.ran, once.lists) == (2, 2)

    started = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - started < 5


@pytest.mark.skipif(
    not IS_2 and not hasattr(ClientSession, "get_server_capabilities"),
    reason="this version does not keep the server's capabilities",
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_announces_changes_is_listed_once(kind: str, run: Any) -> None:
    async def body(session: Any) -> None:
        lists = 0
        inner, list_tools = session._session, session._session.list_tools

        @functools.wraps(list_tools)
        async def counted(*args: Any, **options: Any) -> Any:
            nonlocal lists
            lists += 1
            return await list_tools(*args, **options)

        inner.list_tools = counted
        try:
            for _ in range(3):
                assert is_error(await session.call_tool("keys", {"self": 1}))
            once = lists
            await session.call_tool("grow", {})
            await asyncio.sleep(0.1)
            assert is_error(await session.call_tool("keys", {"self": 1}))
            assert lists == 2 * once
        finally:
            del inner.list_tools

    run("odd", kind, body)


def test_a_group_of_two_servers_of_which_one_changes(tmp_path: Path) -> None:
    program, arguments = command("odd")
    variables = environment("odd", tmp_path) | {"ODD_PAGE": "100"}

    async def main() -> list[tuple[bool, str]]:
        async with ClientSessionGroup(component_name_hook=lambda name, _: f"{prefix}_{name}") as group:
            for prefix in "ab":  # noqa: B007 - the group's hook reads it
                server = StdioServerParameters(command=program, args=arguments, env=variables)
                await group.connect_to_server(server)
            session = checked(group)
            calls: list[Any] = [("a_shape", "3"), ("a_grow", ""), ("a_shape", "3"), ("a_shape", 3)]
            calls += [("b_shape", "3"), ("b_shape", 3), ("c_shape", 3)]
            results = [await session.call_tool(n, {"sides": sides} if sides else {}) for n, sides in calls]
            return [(is_error(result), text_of(result).partition(".")[0]) for result in results]

    assert asyncio.run(main()) == [
        (True, "a_shape was not run"),
        (False, "ran grow {}"),
        (False, 'ran shape {"sides": "3"}'),
        (True, "a_shape was not run"),
        (True, "b_shape was not run"),
        (False, 'ran shape {"sides": 3}'),
        (True, 'c_shape was not run: there is no such tool; near names: "a_shape", "b_shape"'),
    ]


def test_a_function_is_not_asked_for_its_list_at_each_call() -> None:
    asked = 0

    def listed() -> Any:
        nonlocal asked
        asked += 1
        return TOOLS

    server, ran = served(listed)
    told(server, *[("add", {"a": 1})] * 3)
    assert (len(ran), asked) == (3, 1)


def test_a_tool_that_cannot_be_compiled_is_called_as_before() -> None:
    server, ran = served(None)
    seen: list[Any] = []

    async def main() -> None:
        async with connected(server) as client:
            session = checked(client, on_call=lambda call: seen.append)
            assert not is_error(await session.call_tool("broken", {"a": 1}))
            assert not is_error(await session.call_tool("broken", '{"a": 2}'))

    asyncio.run(main())
    assert ran == [("broken", 1), ("broken", 2)]
    assert seen == []


def test_a_guarded_server_says_which_tool_may_be_meant() -> None:
    server, ran = served(None)

    async def main() -> None:
        async with connected(server) as client:
            if IS_2:  # an error of the protocol
                with pytest.raises(MCPError, match='"add"') as raised:
                    await client.call_tool("ad", {"a": 1})
                assert raised.value.code == types.INVALID_PARAMS
            else:
                assert '"add"' in text_of(await client.call_tool("ad", {"a": 1}))

    asyncio.run(main())
    assert ran == []


def test_an_exception_has_an_output_too() -> None:
    output = to_output(TimeoutError("late"), tool="t")
    assert (output.tool, output.kind, output.ok) == ("t", "timeout", False)


def test_conversations_on_one_session_are_freed(run: Any) -> None:
    async def body(session: Any) -> None:
        raw, lists = session._session, []
        for _ in range(50):
            each = checked(raw)
            await each.call_tool("report", {"text": "x"})
            lists.append(weakref.ref(each._tools))
        del each
        gc.collect()
        assert not [ref for ref in lists if ref() is not None]

    run("odd", "session", body)


def test_an_object_without_tools_is_no_session() -> None:
    with pytest.raises(TypeError, match="list_tools and call_tool"):
        checked(object())


def test_an_option_that_an_adapter_cannot_honor() -> None:
    with pytest.raises(TypeError, match="framework runs the calls"):
        checked(SimpleNamespace(list_tools=None), timeout=5)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="no way to ask the user"):
        checked(SimpleNamespace(list_tools=None), ask=True)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="timeout"):
        guard(lambda a, b: None, [], per_tool={"pay": {"timeout": 5}})  # type: ignore[arg-type,return-value]
