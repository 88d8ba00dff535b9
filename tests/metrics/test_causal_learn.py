"""CPDAGs against causal-learn's."""

import warnings

import numpy as np
import pytest

from toposwap.metrics import cpdag


@pytest.fixture(scope="module")
def theirs():
    """causal-learn's conversion: (d, d) booleans in, the same out."""
    pytest.importorskip("causallearn")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # at import, and not ours to mend
        from causallearn.graph.Dag import Dag
        from causallearn.graph.GraphNode import GraphNode
        from causallearn.utils.DAG2CPDAG import dag2cpdag

    def convert(edges):
        nodes = [GraphNode(str(i)) for i in range(len(edges))]
        dag = Dag(nodes)
        for i, j in np.argwhere(edges):
            dag.add_directed_edge(nodes[i], nodes[j])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = dag2cpdag(dag)
        # graph[j, i] is the mark at j of the edge between i and j: 1 an arrowhead, -1 a tail.
        at = found.get_node_map()
        index = [at[node] for node in nodes]
        marks = found.graph[np.ix_(index, index)]
        directed = (marks.T == 1) & (marks == -1)
        undirected = (marks == -1) & (marks.T == -1)
        return directed | undirected

    return convert


@pytest.mark.parametrize("density", [0.1, 0.3, 0.5, 0.8])
@pytest.mark.parametrize("d", [3, 5, 8, 12, 20])
def test_random_graphs_have_the_same_class(theirs, d, density):
    rng = np.random.default_rng([d, int(10 * density)])
    for _ in range(5):
        label = rng.permutation(d)
        edges = np.triu(rng.random((d, d)) < density, k=1)[np.ix_(label, label)]
        np.testing.assert_array_equal(cpdag(edges), theirs(edges))
