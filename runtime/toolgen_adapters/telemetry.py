"""OpenTelemetry: record a span and a duration for each call, as the conventions for generative AI and MCP
require.

    telemetry = Telemetry()
    registry = Registry(on_call=telemetry.on_call, on_issue=telemetry.on_issue)

Every adapter accepts these two hooks too. If a call runs in this process, its span is the parent of the spans that its
handler starts. `traceparent()` passes the current span on to an MCP server, where `continued()` reads it. The
conventions have the status "development"; the names are those of `opentelemetry-semantic-conventions` 0.66.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from toolgen_adapters.checks import framework

with framework("otel", "opentelemetry-api", "1.27"):
    from opentelemetry import context, metrics, propagate, trace
    from opentelemetry.trace import SpanKind, Status, StatusCode

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter
    from opentelemetry.trace import Span, Tracer

    from toolgen_runtime.calls.hooks import CallStarted, IssueFound
    from toolgen_runtime.calls.output import ToolOutput

__all__ = ["Telemetry", "continued", "traceparent"]

BUCKETS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
"""The boundaries, in seconds, that the conventions recommend for durations of operations."""


class Telemetry:
    """Provides the hooks `on_call` and `on_issue`, which record calls.

    Arguments and results may be private, so they are not recorded by default.
    """

    def __init__(
        self,
        tracer: Tracer | None = None,
        meter: Meter | None = None,
        *,
        mcp: Literal["client", "server"] | None = None,
        record_content: bool = False,
    ) -> None:
        """Create the hooks.

        Args:
            tracer: the tracer that starts the spans; by default, that of the global provider.
            meter: the meter that records the durations; by default, that of the global provider.
            mcp: the side of an MCP connection to which the calls belong; the conventions for MCP are then followed too.
            record_content: whether to record results, and arguments without their secrets.
        """
        self._tracer = tracer or trace.get_tracer("toolgen")
        self._mcp = mcp
        self._record_content = record_content
        if mcp:
            name = f"mcp.{mcp}.operation.duration"
        else:
            name = "gen_ai.client.operation.duration"
        self._duration = (meter or metrics.get_meter("toolgen")).create_histogram(
            name, unit="s", description="Duration of tool calls", explicit_bucket_boundaries_advisory=BUCKETS
        )

    def on_call(self, call: CallStarted) -> Callable[[ToolOutput | None], None]:
        """Start the span of a call, make it the current span, and return the function that ends it."""
        span, ended = self.start(call)
        token = context.attach(trace.set_span_in_context(span))

        def on_end(output: ToolOutput | None) -> None:
            context.detach(token)
            ended(output)

        return on_end

    def start(
        self, call: CallStarted, parent: Any = None
    ) -> tuple[Span, Callable[[ToolOutput | None], None]]:
        """Start the span of a call that may end in another thread. Return it with the function that ends it.

        Args:
            call: the call.
            parent: the caller's context (see `continued`); by default the current context.
        """
        begun = call.at or time.time()
        attributes: dict[str, Any] = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": call.tool}
        attributes["gen_ai.tool.type"] = "extension" if self._mcp == "client" else "function"
        operation = "execute_tool"
        if self._mcp:
            operation = attributes["mcp.method.name"] = "tools/call"
        measured = dict(attributes)
        if call.call_id is not None:
            attributes["gen_ai.tool.call.id"] = call.call_id
        kinds = {None: SpanKind.INTERNAL, "client": SpanKind.CLIENT, "server": SpanKind.SERVER}
        span = self._tracer.start_span(
            f"{operation} {call.tool}",
            context=parent,
            kind=kinds[self._mcp],
            attributes=attributes,
            start_time=int(begun * 1e9),
        )

        def ended(output: ToolOutput | None) -> None:
            error = self._finish(span, output)
            span.end()
            if error:
                measured["error.type"] = error
            self._duration.record(max(0.0, time.time() - begun), measured)

        return span, ended

    def on_issue(self, found: IssueFound) -> None:
        """Record an issue as an event of the call's span, without any values."""
        issue = {"toolgen.issue.field": found.issue.field, "toolgen.issue.constraint": found.issue.constraint}
        trace.get_current_span().add_event("toolgen.issue", issue)

    def _finish(self, span: Span, output: ToolOutput | None) -> str | None:
        """Set the attributes of a call that has ended, and return the type of its error."""
        if output is None:  # canceled, or the program is ending
            span.set_attribute("error.type", "_OTHER")
            span.set_status(Status(StatusCode.ERROR))
            return "_OTHER"
        span.set_attribute("toolgen.tool.executed", output.executed)
        if output.repairs:
            span.set_attribute("toolgen.tool.repairs", len(output.repairs))
        if output.retry_hint is not None:
            span.set_attribute("toolgen.hint.reason", output.retry_hint.reason)
            span.set_attribute("toolgen.hint.attempts", output.retry_hint.attempts)
        if self._record_content:
            span.set_attribute("gen_ai.tool.call.arguments", json.dumps(output.redacted(), default=str))
            span.set_attribute("gen_ai.tool.call.result", json.dumps(output.result, default=str))
        if output.error is None:
            return None
        # The conventions for MCP name a result with isError `tool_error`.
        if self._mcp and output.executed:
            kind = "tool_error"
        else:
            kind = str(output.kind)
        span.set_attribute("error.type", kind)
        if output.recovery is not None:
            span.set_attribute("toolgen.tool.recovery", output.recovery)
        span.set_status(Status(StatusCode.ERROR))  # without a description: messages quote values
        return kind


def traceparent_of(span: Span) -> dict[str, Any]:
    """Return the `traceparent` (and `tracestate`) of a span, for the `_meta` of an MCP request."""
    carrier: dict[str, Any] = {}
    propagate.inject(carrier, trace.set_span_in_context(span))
    return carrier


def traceparent(meta: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return `meta`, the `_meta` of an MCP request, plus the `traceparent` (and `tracestate`) of the current
    span.
    """
    carrier: dict[str, Any] = {}
    propagate.inject(carrier)
    return {**(meta or {}), **carrier}


def continued(meta: Any) -> Any:
    """Return the trace context that the caller sent as `traceparent` in `_meta`, to be used as a span's
    parent.
    """
    if isinstance(meta, dict):
        given = meta
    else:
        given = getattr(meta, "model_extra", None) or {}
    return propagate.extract({key: value for key, value in given.items() if isinstance(value, str)})
