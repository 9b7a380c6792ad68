"""What `expand-vars` does beside being a filter, a module for each command. None is imported before it is asked for."""
