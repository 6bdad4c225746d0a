"""Code that all providers share, for names, ids, tool definitions, messages, responses and streams."""
