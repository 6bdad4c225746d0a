"""Checks and retry hints in agent frameworks.

There is one module for each framework, which must be installed to import the module.

Each module is a thin layer over `Conversation`. It acts while the framework still has the arguments as the model
wrote them. It passes on all arguments, never changes what the model saw, and reports a failed call in the
framework's own way. The options are those of `Registry`.
"""
