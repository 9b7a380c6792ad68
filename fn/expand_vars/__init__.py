"""expand-vars: a KRM function that expands `$(VAR)` references as Kubernetes would, and changes no other byte.

    pipeline   read -> decode -> show -> resolve -> generate -> expand -> keep -> emit
    read       krm.resourcelist       text -> items, parsed on demand
    decode     functionconfig         -> Config
    show       krm.template_comments  templates of comments, in place of the texts that they became
    resolve    expansion.variables    values of the declared variables, from the items as they stand
    generate   templates              resources of the functionConfig, merged by krm.generation
    expand     expansion              references in workloads and targets -> edits of their text, item by item
    keep       krm.template_comments  a comment with the template of each field, for the next run
    emit       krm.resourcelist       all or nothing -> text, results, exit code

It is built on `krm` alone, and `krm` knows nothing of it: `make lint` proves both.
"""

from krm.process import __version__
from krm.syntax import expand, lookup_in

__all__ = ["__version__", "expand", "lookup_in"]
