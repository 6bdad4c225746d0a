"""Adapters for agent frameworks: they check tool calls, and send the model a hint for a wrong one.

There is one module for each framework. To import a module, its framework must be installed.

Each module is a thin layer over `Conversation`. It checks a call while the framework still has the arguments as the
model wrote them. It passes on all arguments, never changes what the model saw, and reports a failed call in the
framework's own way. The options are those of `Registry`.
"""
