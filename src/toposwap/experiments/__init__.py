"""The paper's tables and figures, one command each: ``toposwap reproduce NAME``.

An experiment is one file of :mod:`toposwap.experiments.configs`: data sets x methods x seeds, with
the paper's own figures beside it. A data set is one file of ``datasets``, a method one of
``methods``. Each combination is a *cell*; finished cells go to one store, and tables and plots are
made from the store alone. What a learner says about itself is not used: score, SHD and certificate
are computed from the weights it returns, the same way for all.

Nothing heavy is imported before a cell is run, so that listing experiments costs nothing.
"""

from toposwap.experiments.config import Experiment, experiment_names, load_experiment

__all__ = ["Experiment", "experiment_names", "load_experiment"]
