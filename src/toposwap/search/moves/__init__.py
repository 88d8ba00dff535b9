"""Single moves: swaps that do not overlap, and the orders that violations suggest."""
