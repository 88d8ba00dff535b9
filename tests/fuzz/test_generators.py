"""What is new is drawn: a parameter, setting or option without a generator is found here."""

import inspect

import numpy as np
import pytest

from fuzz import settings
from fuzz.arguments import ARGUMENTS
from fuzz.commands import OPTIONS
from fuzz.confidences import ELSEWHERE, RESAMPLING
from fuzz.containers import CONTAINERS, fingerprint
from fuzz.draws import Draw
from fuzz.fits import draw_fit
from fuzz.scores import SETTINGS
from fuzz.settings import GENERATORS
from fuzz.tables import draw_table
from toposwap import Topo, confidence
from toposwap.cli.app import app
from toposwap.losses import LOSSES
from toposwap.penalties import PENALTIES
from toposwap.scores import SCORES
from toposwap.scores.names import score_settings


def test_every_parameter_of_topo_has_a_generator():
    assert set(inspect.signature(Topo).parameters) == set(GENERATORS)


def test_every_argument_of_fit_has_a_generator():
    assert set(inspect.signature(Topo().fit).parameters) - {"X", "y"} == set(ARGUMENTS)


def test_every_argument_of_confidence_has_a_generator_or_a_reason():
    assert set(inspect.signature(confidence).parameters) == set(RESAMPLING) | ELSEWHERE


def test_every_setting_of_a_score_has_a_generator():
    pairs = [f"{loss}-{penalty}" for loss in LOSSES for penalty in PENALTIES]
    settings = {key for name in (*SCORES, *pairs) for key in score_settings(name)}
    assert settings <= set(SETTINGS)


def test_every_option_of_every_command_has_a_generator():
    options = {option.name for command in app.commands.values() for option in command.params}
    assert options <= set(OPTIONS)


def test_a_case_is_a_function_of_seed_and_index():
    for index in range(30):
        one, two = draw_fit(7, index), draw_fit(7, index)
        assert one.table.values.tobytes() == two.table.values.tobytes()
        assert (one.container, one.recipe.text) == (two.container, two.recipe.text)


def test_endless_restarts_come_with_a_budget(monkeypatch):
    monkeypatch.setattr(settings, "WRONG", 1.0)
    monkeypatch.setattr(settings, "_WRONG", (10**30,))
    table = draw_table(Draw("fits", 0, 0), "continuous", small=True)
    endless = []
    for index in range(60):
        drawn, wrong = settings.draw_settings(Draw("fits", 0, index), table, most=np.inf)
        assert drawn[wrong] == 10**30
        endless += [drawn["time_budget"]] if wrong == "n_restarts" else []
    assert endless
    assert None not in endless


def test_a_learner_to_start_from_comes_with_a_budget(monkeypatch):
    monkeypatch.setitem(settings.GENERATORS, "init", (lambda _draw, _table: "notears", 1.0))
    table = draw_table(Draw("fits", 0, 0), "continuous", small=True)
    for index in range(5):
        drawn, _ = settings.draw_settings(Draw("fits", 0, index), table, most=np.inf)
        assert "time_budget" in drawn


@pytest.mark.parametrize("name", CONTAINERS)
def test_fingerprints_see_a_change(name):
    draw = Draw("containers", 0, 0)
    table = draw_table(draw, "continuous", small=True)
    held, _ = CONTAINERS[name](table, draw)
    before = fingerprint(held)
    assert fingerprint(held) == before
    if isinstance(held, np.ndarray) and held.ndim == 2:
        held.setflags(write=not held.flags.writeable)
        assert fingerprint(held) != before
