"""Check, repair, shorten and convert message histories of any provider, with a neutral transcript in between.

Import every public name from here; `__init__.pyi` lists them. Each module is loaded when one of its names is first
used. Codecs can therefore import the messages, and `check` and `repair` can import the codecs.
"""

from __future__ import annotations

from toolgen_runtime.exports import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
