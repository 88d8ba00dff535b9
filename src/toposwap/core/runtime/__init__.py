"""What a run needs: a clock, a deadline, Ctrl-C, settings by name, imports when they are used."""
