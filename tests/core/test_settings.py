"""Settings by name: what a callable takes, and the nearest name of what it does not."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposwap.core.errors import InputError
from toposwap.core.runtime.settings import parameters_of, refuse_unknown


def called(first, second=2, *rest, third, **others):
    """Every kind of parameter."""


def test_parameters_with_a_name():
    assert list(parameters_of(called)) == ["first", "second", "third"]
    assert parameters_of(called)["second"].default == 2
    assert list(parameters_of(partial(called, 1))) == ["second", "third"]
    assert parameters_of(type("Plain", (), {})) == {}


@given(st.sets(st.text(min_size=1)), st.data())
def test_known_names_pass_in_any_order(known, data):
    refuse_unknown("here", data.draw(st.permutations(sorted(known))), known)


@pytest.mark.parametrize(
    ("given_", "known", "says"),
    [
        (
            ["d", "weightz"],
            ["d", "weights"],
            "here: no setting is called 'weightz' (did you mean 'weights'?); there are d, weights",
        ),
        (["zzz"], ["d"], "here: no setting is called 'zzz'; there are d"),
        (["d"], [], "here: no setting is called 'd'; there are none"),
    ],
)
def test_unknown_names_are_told_the_nearest(given_, known, says):
    with pytest.raises(InputError) as refused:
        refuse_unknown("here", given_, known)
    assert str(refused.value) == says
