"""expand-vars: a KRM function that expands `$(VAR)` references as Kubernetes would, and changes no other byte.

    pipeline   read -> decode -> put back -> resolve -> generate -> expand -> record -> emit
    read       krm.resourcelist      text -> items, parsed on demand
    decode     functionconfig        -> Config
    put back   record                recorded templates, where the fields still say what was rendered
    resolve    expansion.variables   values of the declared variables, from the items as they stand
    generate   templates             resources of the functionConfig, merged by krm.generation
    expand     expansion             references in workloads and targets -> edits of their text
    record     record                what was rendered of which template, for the next run
    emit       krm.resourcelist      all or nothing -> text, results, exit code

It is built on `krm` alone, and `krm` knows nothing of it: `make lint` proves both.
"""

from krm.process import __version__
from krm.syntax import expand, lookup_in

__all__ = ["__version__", "expand", "lookup_in"]
