"""Parts that command lines share: the table of options and all that is made of it."""
