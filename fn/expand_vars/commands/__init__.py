"""The commands of `expand-vars` beside the filter, a module for each. None is imported before it is asked for."""
