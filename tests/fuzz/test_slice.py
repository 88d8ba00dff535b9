"""A slice of the campaign: the same cases each time, about half a minute on one core.

``make fuzz`` runs as many as there is time for; docs/reliability.md says how.
"""

import pytest

from fuzz.campaign import run

#: How many cases of each kind, from the first on.
SLICE = {"fits": 120, "confidence": 12, "files": 60, "kills": 1}
SEED = 0


@pytest.mark.parametrize("kind", SLICE)
def test_slice_of_the_campaign(kind):
    cases = [(kind, SEED, index) for index in range(SLICE[kind])]
    failures = run(iter(cases), jobs=1).failures
    assert not failures, "\n".join(f"{f.replay}\n{f.broken}\n{f.text}" for f in failures)
