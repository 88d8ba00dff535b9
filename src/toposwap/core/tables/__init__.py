"""Tables as they come: read, held, weighed, with gaps, and what is noticed about their columns."""
