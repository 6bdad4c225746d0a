"""One module a provider: native dicts in, native dicts out, no SDK, no state."""
