"""What must hold: of fits (:mod:`.fits`), of confidences, of commands, and after a kill.

Each invariant is written once, as a function of what happened that yields what is broken.
"""
