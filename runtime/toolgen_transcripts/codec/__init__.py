"""Code that the providers share: names and ids, tool definitions, messages, responses and streams."""
