"""Confidence in a file: arrays and a few lines of JSON in one ``.npz`` archive."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap import __version__
from toposwap.certainty.confidence import Confidence
from toposwap.certainty.resample import Resample
from toposwap.core.errors import InputError
from toposwap.io.atomic import replacing

if TYPE_CHECKING:
    import os

_PLAIN = ("names", "asked", "done", "method", "score_name", "remarks", "interrupted")
_ARRAYS = ("probabilities", "graph", "units", "rises")
_PERHAPS = ("before", "required")


def save(confidence: Confidence, path: str | os.PathLike[str]) -> None:
    """Write ``confidence`` to ``path``, completely or not at all."""
    about = {name: getattr(confidence, name) for name in _PLAIN}
    arrays: dict[str, Any] = {name: getattr(confidence, name) for name in _ARRAYS}
    for name in _PERHAPS:
        if getattr(confidence, name) is not None:
            arrays[name] = getattr(confidence, name)
    graphs = confidence.resamples
    arrays["numbers"] = np.array([graph.number for graph in graphs], dtype=np.int64)
    arrays["sizes"] = np.array([len(graph.edges) for graph in graphs], dtype=np.int64)
    parts = [np.empty((0, 2), np.int32), *(graph.edges for graph in graphs)]
    arrays["edges"] = np.concatenate(parts)
    arrays["weights"] = np.concatenate([np.empty(0), *(graph.weights for graph in graphs)])
    arrays["open"] = np.concatenate([np.empty(0, bool), *(graph.open for graph in graphs)])
    without = np.full(len(confidence.names), np.nan)
    noise = [without if graph.noise is None else graph.noise for graph in graphs]
    arrays["noise"] = np.array(noise).reshape(len(graphs), -1)
    text = json.dumps({"toposwap_confidence": __version__, **about})
    arrays["about"] = np.frombuffer(text.encode(), dtype=np.uint8)
    with replacing(path) as temporary, temporary.open("wb") as sink:
        np.savez_compressed(sink, **arrays)


def load_confidence(path: str | os.PathLike[str]) -> Confidence:
    """What :meth:`Confidence.save` wrote."""
    file = Path(path)
    try:
        with np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        about = json.loads(arrays["about"].tobytes())
        if "toposwap_confidence" not in about:
            raise KeyError("toposwap_confidence")
        starts = np.concatenate([[0], np.cumsum(arrays["sizes"])])
        noise = arrays.get("noise", np.full((len(starts) - 1, 1), np.nan))
        graphs = tuple(
            Resample(
                int(number),
                arrays["edges"][start:end],
                arrays["weights"][start:end],
                arrays["open"][start:end],
                noise=None if np.isnan(left).any() else left,
            )
            for number, start, end, left in zip(
                arrays["numbers"], starts[:-1], starts[1:], noise, strict=True
            )
        )
        perhaps: dict[str, Any] = {name: arrays.get(name) for name in _PERHAPS}
        return Confidence(
            names=tuple(about["names"]),
            resamples=graphs,
            remarks=tuple(about["remarks"]),
            **{name: about[name] for name in _PLAIN if name not in ("names", "remarks")},
            **{name: arrays[name] for name in _ARRAYS},
            **perhaps,
        )
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(
            f"cannot read {str(file)!r}: it is no file that Confidence.save has written ({error})"
        ) from error
