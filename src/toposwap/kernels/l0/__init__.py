"""Gaussian scores with an L0 penalty: partial covariances of each node given its parents."""
