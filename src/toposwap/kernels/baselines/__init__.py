"""The inner loops of other learners."""
