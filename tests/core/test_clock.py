"""The clock of searches."""

import time

from toposwap.core.runtime.clock import clock, lost_seconds, standstill


def test_it_stands_still_and_goes_on():
    lost, before = lost_seconds(), clock()
    with standstill():
        time.sleep(0.05)
    assert clock() - before < 0.04
    assert lost_seconds() - lost >= 0.05
    time.sleep(0.05)
    assert clock() - before >= 0.05
