"""What a terminal shows: results, progress, interruptions."""
