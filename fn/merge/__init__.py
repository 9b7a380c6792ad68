"""Origin, update, local: the rules by which a resource merges (spec/merge.md, part A)."""
