"""Cache points: where a request has them (rule 38)."""

from __future__ import annotations

from toolgen_runtime.history.special_calls import native
from toolgen_runtime.providers.shared.wire import Wire
from toolgen_runtime.transcript.messages import Block, Opaque


def is_cache_point(block: Block, wire: Wire) -> bool:
    """Whether a block is a cache point and nothing else."""
    key = wire.request.cache_block
    value = native(block) if isinstance(block, Opaque) else None
    return bool(key) and isinstance(value, dict) and key in value
