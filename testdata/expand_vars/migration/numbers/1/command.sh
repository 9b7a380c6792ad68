bash compare
