"""One node with a penalty on its coefficients."""
