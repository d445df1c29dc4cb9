"""Features of later language versions; all are on or have no effect."""
annotations = division = print_function = None
