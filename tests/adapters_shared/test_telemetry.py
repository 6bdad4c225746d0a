"""Spans and durations of tool calls, with the SDK's exporters in memory and an OTLP receiver on 127.0.0.1."""

from __future__ import annotations

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from helpers.support import TEXT, JsonObject, for_each, obj
from opentelemetry import context, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from toolgen import compile_tools
from toolgen_adapters.telemetry import Telemetry, continued, traceparent
from toolgen_runtime import Registry

SCHEMA = obj("city", city=TEXT)
TOOLS = compile_tools({"name": "weather", "description": "Weather.", "inputSchema": SCHEMA})


class Watched:
    """A registry whose calls are traced, and what was exported."""

    def __init__(self, **options: Any) -> None:
        self.exporter = InMemorySpanExporter()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.reader = InMemoryMetricReader()
        meter = MeterProvider([self.reader]).get_meter("test")
        telemetry = Telemetry(self.tracers.get_tracer("test"), meter, **options)
        self.registry = Registry(on_call=telemetry.on_call, on_issue=telemetry.on_issue)
        self.registry.register(TOOLS)

    def spans(self) -> list[Any]:
        return list(self.exporter.get_finished_spans())

    def durations(self) -> dict[str, JsonObject]:
        """The attributes of each point by the metric's name and the error's type."""
        data: Any = self.reader.get_metrics_data()
        found = [m for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics]
        return {
            f"{metric.name} {point.attributes.get('error.type', 'ok')}": dict(point.attributes)
            for metric in found
            for point in metric.data.data_points
        }


def error_result(text: str) -> JsonObject:
    return {"content": [{"type": "text", "text": text}], "isError": True}


def giving(result: Any) -> Any:
    """A handler that gives this result."""
    return lambda payload: result


@for_each(
    [
        (
            None,
            SpanKind.INTERNAL,
            "execute_tool weather",
            "gen_ai.client.operation.duration",
            "execution_error",
        ),
        ("client", SpanKind.CLIENT, "tools/call weather", "mcp.client.operation.duration", "tool_error"),
        ("server", SpanKind.SERVER, "tools/call weather", "mcp.server.operation.duration", "tool_error"),
    ]
)
def test_a_call_is_a_span_and_a_duration(
    side: Any, kind: SpanKind, name: str, metric: str, error: str
) -> None:
    watched = Watched(mcp=side)
    for arguments, result in (
        ({"city": "Oslo"}, "cold"),
        ({"town": "x"}, "-"),
        ({"city": "x"}, error_result("no")),
    ):
        watched.registry.call("weather", arguments, giving(result))
    spans = watched.spans()
    assert {(span.name, span.kind) for span in spans} == {(name, kind)}
    assert all(span.attributes["gen_ai.operation.name"] == "execute_tool" for span in spans)
    assert all(span.attributes.get("mcp.method.name") == ("tools/call" if side else None) for span in spans)
    statuses = [span.status.status_code for span in spans]
    assert statuses == [StatusCode.UNSET, StatusCode.ERROR, StatusCode.ERROR]
    types = [span.attributes.get("error.type") for span in spans]
    assert types == [None, "invalid_parameters", error]
    assert {f"{metric} {each or 'ok'}" for each in types} == set(watched.durations())


def test_the_names_are_those_of_the_installed_conventions() -> None:
    names = pytest.importorskip("opentelemetry.semconv._incubating.attributes.gen_ai_attributes")
    mcp = pytest.importorskip("opentelemetry.semconv._incubating.attributes.mcp_attributes")
    metrics = pytest.importorskip("opentelemetry.semconv._incubating.metrics.mcp_metrics")
    gen_ai = pytest.importorskip("opentelemetry.semconv._incubating.metrics.gen_ai_metrics")
    known = {
        value
        for module in (names, mcp, metrics, gen_ai)
        for value in vars(module).values()
        if isinstance(value, str)
    }
    known |= {"error.type"}
    watched = Watched(mcp="client", record_content=True)
    watched.registry.call("weather", {"city": "Oslo"}, giving("cold"), call_id="1")
    watched.registry.call("weather", {}, giving("cold"), call_id="2")
    used = {key for span in watched.spans() for key in span.attributes}
    assert {key for key in used if not key.startswith("toolgen.")} <= known
    assert {name.split()[0] for name in watched.durations()} <= known


def test_a_canceled_call_is_an_error() -> None:
    watched = Watched()

    async def wait(payload: Any) -> str:
        await asyncio.sleep(30)
        return "never"

    async def main() -> None:
        await asyncio.wait_for(watched.registry.acall("weather", {"city": "Oslo"}, wait), 0.05)

    with pytest.raises((asyncio.TimeoutError, TimeoutError)):
        asyncio.run(main())
    (span,) = watched.spans()
    assert (span.attributes["error.type"], span.status.status_code) == ("_OTHER", StatusCode.ERROR)


def test_the_trace_goes_on_in_a_server() -> None:
    watched, sent = Watched(mcp="client"), []
    watched.registry.call("weather", {"city": "Oslo"}, lambda payload: sent.append(traceparent({"own": 1})))
    (span,) = watched.spans()
    assert sent[0]["own"] == 1
    parent = trace.get_current_span(continued(sent[0])).get_span_context()
    assert (parent.trace_id, parent.span_id) == (span.context.trace_id, span.context.span_id)
    server = Watched(mcp="server")
    token = context.attach(continued(sent[0]))
    server.registry.call("weather", {"city": "Oslo"}, giving("cold"))
    context.detach(token)
    assert server.spans()[0].parent.span_id == span.context.span_id


def test_a_collector_receives_the_spans() -> None:
    exporters = pytest.importorskip(
        "opentelemetry.exporter.otlp.proto.http.trace_exporter", reason="the OTLP exporter is not installed"
    )
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    received: list[Any] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append((self.path, ExportTraceServiceRequest.FromString(body)))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    watched = Watched()
    address = f"http://127.0.0.1:{http.server_port}/v1/traces"
    watched.tracers.add_span_processor(SimpleSpanProcessor(exporters.OTLPSpanExporter(endpoint=address)))
    watched.registry.call("weather", {"town": "Oslo"}, giving("cold"))
    http.shutdown()
    ((path, request),) = received
    (span,) = request.resource_spans[0].scope_spans[0].spans
    assert (path, span.name) == ("/v1/traces", "execute_tool weather")
    assert "invalid_parameters" in {each.value.string_value for each in span.attributes}
