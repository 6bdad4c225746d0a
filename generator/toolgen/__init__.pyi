"""The public names of `toolgen`, each with its module. The program reads this list, too."""

from toolgen._version import __version__ as __version__
from toolgen.compiler.diagnostics import SpecError as SpecError
from toolgen.package.compile import compile_tools as compile_tools
