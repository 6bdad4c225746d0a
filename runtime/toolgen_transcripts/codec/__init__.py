"""Code that all providers share, for names and ids, tool definitions, messages, responses and streams."""
