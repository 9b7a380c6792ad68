"""expand-vars: a KRM function that expands `$(VAR)` references as Kubernetes would, and changes no other byte.

    stdio      standard input to standard output
    pipeline   read -> decode -> resolve -> expand -> emit
    read       krm.resourcelist      text -> items, parsed on demand
    decode     functionconfig        -> Config
    resolve    expansion.variables   the declared variables, from the items as they stand
    expand     expansion             references in workloads and targets -> edits of their text
    emit       krm.resourcelist      all or nothing -> text, results, exit code

Imports point down: `cli | sdk > stdio > pipeline > expansion > functionconfig > krm > yamltree`. `make lint` proves it.
"""
