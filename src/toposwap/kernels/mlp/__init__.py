"""One node's network: loss, gradient and descent."""
