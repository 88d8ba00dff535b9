"""The solution at an order, and the changes of Q from there."""
