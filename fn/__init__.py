"""expand-vars."""
