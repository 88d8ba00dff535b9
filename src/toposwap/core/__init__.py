"""Data, orders and graphs: what every other part is made of."""
