"""Whether an experiment means what it says: every kind, setting and field is known.

A word that nothing takes would be printed beside the results as if it had been used. So the
functions behind all kinds are asked for their parameters before anything is run.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toposwap.core.runtime.settings import refuse_unknown
from toposwap.experiments import datasets, methods
from toposwap.experiments.output.layouts import fields_used
from toposwap.experiments.own import add_folder
from toposwap.experiments.scores import check_score

if TYPE_CHECKING:
    from toposwap.experiments.cell import Settings
    from toposwap.experiments.config import Experiment


def check_experiment(experiment: Experiment) -> None:
    """Raise ``InputError``, with the nearest name, for the first word that means nothing.

    Data, methods (with what they start from), scores, tables and figures are checked, as they are
    and as ``[quick]`` changes them. Modules of the user's own are imported.
    """
    if any(cell.own_names() for _, cell in replace(experiment, seeds=1).cells()):
        add_folder(experiment.folder)
    check_score(experiment.score)
    for data in experiment.data:
        datasets.KINDS.check(data, "data")
    quick = experiment.quick_settings.get("settings", {})
    for method in experiment.methods:
        _check_method(method.settings, f"methods, {method.label!r}")
        if method.label in quick:
            changed = {**method.settings, **quick[method.label]}
            _check_method(changed, f"quick, settings, {method.label!r}")
    known = ["method", "seed", *experiment.field_names()]
    for table in experiment.tables:
        refuse_unknown("tables", fields_used(table), [*known, "metric"], "field")
    for figure in experiment.figures:
        refuse_unknown("figures", fields_used(figure), known, "field")


def _check_method(settings: Settings, where: str) -> None:
    given: dict[str, Any] = {key: value for key, value in settings.items() if key != "start"}
    methods.KINDS.check(given, where)
    # A baseline's "auto" is its own default, not the score of that name.
    if given.get("score", "auto") != "auto":
        check_score(given["score"])
    if "start" in settings:
        _check_method(settings["start"], f"{where}, start")
