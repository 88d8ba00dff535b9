"""Which edges of a solution are kept."""
