"""Look up a provider's API by name, for code that works with any provider."""

from __future__ import annotations

from typing import Any

from toolgen_transcripts.codec.api_codec import ApiCodec
from toolgen_transcripts.codec.wire import load_api


def api_of(provider: str) -> ApiCodec[Any]:
    """Return the object that reads and writes a provider's tools, messages and responses. MCP has no
    messages.

    Raises:
        KeyError: the provider is not known.
    """
    api: ApiCodec[Any] = load_api(provider)
    return api


def messages_api_of(provider: str) -> ApiCodec[Any]:
    """Return the object that reads and writes a provider's messages.

    Raises:
        KeyError: the provider is not known, or is MCP, which has no messages.
    """
    api = load_api(provider)
    if not isinstance(api, ApiCodec):
        raise KeyError(provider)
    return api
