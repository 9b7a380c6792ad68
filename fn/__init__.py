"""expand-vars: a KRM function that expands `$(VAR)` references as Kubernetes would, and changes no other byte.

    stdio      standard input to standard output
    pipeline   read -> decode -> put back -> resolve -> expand -> record -> emit
    read       krm.resourcelist      text -> items, parsed on demand
    decode     functionconfig        -> Config
    put back   record                recorded templates, where the fields still say what was rendered
    resolve    expansion.variables   the declared variables, from the items as they stand
    expand     expansion             references in workloads and targets -> edits of their text
    record     record                what was rendered of which template, for the next run
    emit       krm.resourcelist      all or nothing -> text, results, exit code

Imports point down, and `make lint` proves it:
`cli | sdk > commands > stdio > pipeline > expansion > record > functionconfig > krm > yamltree`.
"""
