"""Look up a provider's API, for code that works with any of them."""

from __future__ import annotations

from typing import Any

from toolgen_transcripts.codec.api_codec import ApiCodec
from toolgen_transcripts.codec.wire import load_api


def api_of(provider: str) -> ApiCodec[Any]:
    """Return a provider's API: its tools, messages and responses. The API of MCP has no messages.

    Raises:
        KeyError: the provider is not known.
    """
    api: ApiCodec[Any] = load_api(provider)
    return api
