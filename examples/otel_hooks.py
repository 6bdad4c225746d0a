"""One span per tool call, by the OpenTelemetry semantic conventions for generative AI (status: development).

`pip install 'toolgen[otel,dynamic]' opentelemetry-sdk`, then `python examples/otel_hooks.py` prints five spans.
In an application: `spans = ToolSpans()`, then `Registry(on_call=spans.on_call, on_issue=spans.on_issue)`. The
calls of its conversations have spans too, those that a framework runs between `check` and `returned` included.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from opentelemetry import context, trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer

from toolgen_runtime import ToolOutput
from toolgen_runtime.calls.hooks import CallStarted, IssueFound


class ToolSpans:
    """Hooks for a `Registry`. Spans that a handler starts become children of the span of its call.

    Arguments and results may be private, so they are only recorded with `record_content`.
    """

    def __init__(self, tracer: Tracer | None = None, *, record_content: bool = False) -> None:
        self._tracer = tracer or trace.get_tracer("toolgen")
        self._record_content = record_content

    def on_call(self, call: CallStarted) -> Callable[[ToolOutput | None], None]:
        name, began = f"execute_tool {call.tool}", int(call.at * 1e9)
        span = self._tracer.start_span(name, kind=SpanKind.INTERNAL, start_time=began)
        span.set_attribute("gen_ai.operation.name", "execute_tool")
        span.set_attribute("gen_ai.tool.name", call.tool)
        span.set_attribute("gen_ai.tool.type", "function")
        if call.call_id is not None:
            span.set_attribute("gen_ai.tool.call.id", call.call_id)
        token = context.attach(trace.set_span_in_context(span))

        def on_end(output: ToolOutput | None) -> None:
            context.detach(token)
            self._finish(span, output)
            span.end()

        return on_end

    def on_issue(self, found: IssueFound) -> None:
        issue = {"toolgen.issue.field": found.issue.field, "toolgen.issue.constraint": found.issue.constraint}
        trace.get_current_span().add_event("toolgen.issue", issue)

    def _finish(self, span: Span, output: ToolOutput | None) -> None:
        if output is None:  # canceled, or the program is ending
            span.set_attribute("error.type", "_OTHER")
            span.set_status(Status(StatusCode.ERROR))
            return
        span.set_attribute("toolgen.tool.executed", output.executed)
        if output.retry_hint is not None:
            span.set_attribute("toolgen.hint.reason", output.retry_hint.reason)
            span.set_attribute("toolgen.hint.attempts", output.retry_hint.attempts)
        if output.kind is not None and output.recovery is not None:
            span.set_attribute("error.type", str(output.kind))
            span.set_attribute("toolgen.tool.recovery", output.recovery)
            span.set_status(Status(StatusCode.ERROR))  # without a description: messages quote values
        if self._record_content:
            span.set_attribute("gen_ai.tool.call.arguments", json.dumps(output.redacted()))
            span.set_attribute("gen_ai.tool.call.result", json.dumps(output.result))


def main() -> None:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

    from toolgen import compile_tools
    from toolgen_runtime import Registry

    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter()))
    spans = ToolSpans(provider.get_tracer("toolgen"))
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    registry = Registry(on_call=spans.on_call, on_issue=spans.on_issue)
    registry.register(compile_tools({"name": "weather", "description": "Weather.", "inputSchema": schema}))
    conversation = registry.conversation()
    conversation.call("weather", {"city": "Oslo"}, lambda: {"celsius": 4}, call_id="call_1")
    conversation.call("weather", {"town": "Oslo"}, lambda: {"celsius": 4}, call_id="call_2")
    conversation.call("wether", {"city": "Oslo"}, lambda: {"celsius": 4}, call_id="call_3")
    for call_id, arguments in (("call_4", '{"town": "Oslo"}'), ("call_5", '{"city": "Oslo"}')):
        checked = conversation.check("weather", arguments, call_id=call_id)
        conversation.returned(checked, {"celsius": 4} if checked.ok else None)  # the framework's result


if __name__ == "__main__":
    main()
