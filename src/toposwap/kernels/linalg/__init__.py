"""Products, exponentials and quasi-Newton steps that several families share."""
