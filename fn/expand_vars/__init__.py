"""expand-vars: a KRM function that expands `$(VAR)` references as Kubernetes would, and changes no other byte.

It is built on `krm` alone, and `krm` knows nothing of it: `make lint` proves both.
"""

from krm.process import __version__
from krm.syntax import expand, lookup_in

__all__ = ["__version__", "expand", "lookup_in"]
