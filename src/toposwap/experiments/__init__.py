"""The paper's tables and figures, one command each: ``toposwap reproduce NAME``.

An experiment is one file of ``configs``, or one of the user's: data sets x methods x seeds, with
the paper's own figures beside it. A kind of data is one file of ``datasets``, a kind of method one
of ``methods``; either may be a function of the user's own. Each combination is a *cell*; finished
cells go to one store, and tables and plots are made from the store alone. What a learner says about
itself is not used: score, SHD and certificate are computed from the weights it returns, the same
way for all.

Nothing heavy is imported before cells are run, so that listing experiments costs nothing.
"""

from toposwap.experiments.config import Experiment, experiment_names, load_experiment

__all__ = ["Experiment", "experiment_names", "load_experiment"]
