"""What must hold: of fits (:mod:`.fits`), of commands (:mod:`.commands`), and after a kill.

Each invariant is written once, as a function of what happened that yields what is broken.
"""
