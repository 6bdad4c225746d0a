"""One span and one duration per tool call, printed. `python examples/otel_hooks.py`

First, in a checkout: `pip install -e ./runtime -e '.[otel,dynamic]' opentelemetry-sdk`.
An application sets up a provider with an exporter of its own, and passes the hooks to its registry or to an adapter.
"""

from __future__ import annotations

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

from toolgen import compile_tools
from toolgen_adapters.telemetry import Telemetry
from toolgen_runtime import Registry

provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter()))
telemetry = Telemetry(provider.get_tracer("toolgen"))
schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
registry = Registry(on_call=telemetry.on_call, on_issue=telemetry.on_issue)
registry.register(compile_tools({"name": "weather", "description": "Weather.", "inputSchema": schema}))
conversation = registry.conversation()
conversation.call("weather", {"city": "Oslo"}, lambda: {"celsius": 4}, call_id="call_1")
conversation.call("weather", {"town": "Oslo"}, lambda: {"celsius": 4}, call_id="call_2")
conversation.call("wether", {"city": "Oslo"}, lambda: {"celsius": 4}, call_id="call_3")
for call_id, arguments in (("call_4", '{"town": "Oslo"}'), ("call_5", '{"city": "Oslo"}')):
    checked = conversation.check("weather", arguments, call_id=call_id)
    conversation.returned(checked, {"celsius": 4} if checked.ok else None)  # the framework's result
