"""`toolgen proxy --otel`: send a span and a duration for each call to an OTLP collector; see docs/proxy.md."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Thread
from typing import Final

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from toolgen.commands.servers.messages import PROTOCOL, Message, object_of
from toolgen_adapters.telemetry import Telemetry, continued, traceparent_of
from toolgen_runtime import Conversation, ToolOutput
from toolgen_runtime.calls.hooks import CallStarted

FLUSH_SECONDS: Final = 1.0
"""The number of seconds for sending the rest at the end, because a collector may not respond."""


class Tracing:
    """Records the spans of calls.

    The variables `OTEL_*` say where to send them and what the service is called.
    """

    def __init__(self) -> None:
        named = Resource({SERVICE_NAME: "toolgen-proxy"}).merge(OTELResourceDetector().detect())
        self._tracers = TracerProvider(resource=named, shutdown_on_exit=False)
        self._tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        reader = PeriodicExportingMetricReader(OTLPMetricExporter())
        self._meters = MeterProvider([reader], resource=named, shutdown_on_exit=False)
        tracer, meter = self._tracers.get_tracer("toolgen"), self._meters.get_meter("toolgen")
        self._telemetry = Telemetry(tracer, meter, mcp="server")

    def began(self, call: Message) -> Message:
        """Start the span of a call, and return the call.

        The `_meta` of the returned call names this span as the parent, for the server.
        """
        params = call.params
        begun = CallStarted(params["name"], None, params.get("arguments"), time.time())
        meta = params.get("_meta")
        span, ended = self._telemetry.start(begun, continued(meta))
        span.set_attribute("jsonrpc.request.id", str(call.value["id"]))
        if version := call.protocol.get(f"{PROTOCOL}protocolVersion"):
            span.set_attribute("mcp.protocol.version", str(version))
        traced = call.changed(params={**params, "_meta": {**object_of(meta), **traceparent_of(span)}})
        traced.span = Traced(params["name"], ended)
        return traced

    def close(self) -> None:
        """Send everything that is still waiting, within `FLUSH_SECONDS`."""

        def flush() -> None:
            self._tracers.force_flush(int(FLUSH_SECONDS * 1000))
            self._meters.force_flush(int(FLUSH_SECONDS * 1000))

        flushing = Thread(target=flush, daemon=True)
        flushing.start()
        flushing.join(FLUSH_SECONDS)


class Traced:
    """The span of one call, until the call ends."""

    def __init__(self, tool: str, ended: Callable[[ToolOutput | None], None]) -> None:
        self._tool, self._ended = tool, ended
        self._is_open = True

    def end(self, output: ToolOutput | None) -> None:
        """End the span. `output` is None for a call that was canceled or got no response."""
        if self._is_open:
            self._is_open = False
            self._ended(output)

    def end_with(self, answer: Message) -> None:
        """End the span with the response of the server or of the proxy."""
        if answer.result is None:
            self.end(None)
        else:
            self.end(Conversation({}).returned(ToolOutput(self._tool), answer.result))
