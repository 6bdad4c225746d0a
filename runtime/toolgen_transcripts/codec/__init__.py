"""Code that the providers share, for names and ids, tool definitions, messages, responses and streams."""
