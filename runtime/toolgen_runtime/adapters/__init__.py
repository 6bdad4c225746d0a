"""Checks and retry hints in agent frameworks: a module a framework, which needs that framework to be imported.

Each is a thin layer over `Conversation`, at the place where the framework still has the arguments as the model
wrote them. It passes the arguments whole, never changes what the model was shown, and says that a call failed in
the framework's own way. Options are those of `Registry`.
"""
