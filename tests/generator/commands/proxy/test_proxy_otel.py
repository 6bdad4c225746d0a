"""`toolgen proxy --otel`: spans and durations that a collector on 127.0.0.1 receives, and the trace that goes on."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx2
import pytest
from helpers.commands import toolgen
from helpers.http_under_test import McpApp, serving
from helpers.proxy_client import LineClient
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
META = {"traceparent": f"00-{TRACE}-{PARENT}-01", "own": 1}


class Collector:
    """What a collector has received: spans with their services, and the names of metrics with their points."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, Any]] = []
        self.points: list[tuple[str, dict[str, str]]] = []

    def take(self, path: str, body: bytes) -> None:
        if path == "/v1/traces":
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                service = attributes(resource.resource)["service.name"]
                self.spans += [(service, span) for scope in resource.scope_spans for span in scope.spans]
            return
        for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
            for metric in (each for scope in resource.scope_metrics for each in scope.metrics):
                self.points += [(metric.name, attributes(point)) for point in metric.histogram.data_points]


def attributes(of: Any) -> dict[str, str]:
    return {each.key: each.value.string_value for each in of.attributes}


@contextmanager
def collecting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            collector.take(self.path, self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{http.server_port}")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
    yield collector
    http.shutdown()


def parents_of(calls: list[Any]) -> list[str]:
    return [call["params"]["_meta"]["traceparent"] for call in calls]


def test_calls_are_spans_of_the_clients_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    app = McpApp()
    with collecting(monkeypatch) as collector, serving(app) as address:
        client = LineClient([sys.executable, "-m", "toolgen", "proxy", "--otel", f"{address}/mcp"])
        assert client.call({"limit": 5}, _meta=META)["isError"] is False
        assert client.call({"limit": "five"}, id=2)["isError"] is True
        assert client.call({}, "unknown", id=3) is not None
        assert client.end()[0] == 0
    spans = {attributes(span)["jsonrpc.request.id"]: span for _, span in collector.spans}
    assert {service for service, _ in collector.spans} == {"toolgen-proxy"}
    first, wrong = spans["1"], spans["2"]
    ids = (first.trace_id.hex(), first.parent_span_id.hex())
    assert (first.name, *ids) == ("tools/call count", TRACE, PARENT)
    assert first.kind == 2, "server"
    assert attributes(first) | {"mcp.method.name": "tools/call", "gen_ai.tool.name": "count"} == attributes(
        first
    )
    assert "error.type" not in attributes(first)
    assert attributes(wrong)["error.type"] == "invalid_parameters"
    assert wrong.parent_span_id == b""
    assert "five" not in str(wrong)
    (call, _) = app.calls
    assert call["params"]["_meta"] == {"own": 1, "traceparent": f"00-{TRACE}-{first.span_id.hex()}-01"}
    assert {name for name, _ in collector.points} == {"mcp.server.operation.duration"}
    assert {point.get("error.type") for _, point in collector.points} >= {None, "invalid_parameters"}


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_proxy_that_listens_sends_its_spans_when_a_signal_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    app = McpApp()
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    message["params"] = {"name": "count", "arguments": {"limit": 5}, "_meta": META}  # type: ignore[assignment]
    with collecting(monkeypatch) as collector, serving(app) as address:
        words = ["-m", "toolgen", "proxy", "--otel", "--listen", "0", f"{address}/mcp"]
        client = LineClient([sys.executable, *words])
        try:
            url = client.next_error().split()[-1]
            answer = httpx2.post(url, json=message, headers={"accept": "application/json, text/event-stream"})
            assert answer.json()["result"]["isError"] is False
        finally:
            client.process.send_signal(signal.SIGTERM)
            client.process.wait(20)
    ((_, span),) = collector.spans
    assert (span.name, span.trace_id.hex()) == ("tools/call count", TRACE)
    assert parents_of(app.calls) == [f"00-{TRACE}-{span.span_id.hex()}-01"]


def test_the_packages_are_named_if_they_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    monkeypatch.delitem(sys.modules, "toolgen.commands.proxy.tracing", raising=False)
    found = toolgen("proxy", "--otel", "--", "true")
    assert found.exit_code == 2
    assert "otel" in found.output


def test_a_collector_that_does_not_answer_delays_the_end_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    app = McpApp()
    with serving(app) as address:
        client = LineClient([sys.executable, "-m", "toolgen", "proxy", "--otel", f"{address}/mcp"])
        assert client.call({"limit": 5})["isError"] is False
        begun = time.monotonic()
        assert client.end()[0] == 0
        assert time.monotonic() - begun < 10
