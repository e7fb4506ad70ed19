"""Ten kinds of data: each a function of a random generator and a number of objects, giving their proximities to each other.

Objects are drawn independently of each other and all alike, so that any of them may be the old ones and the others newcomers of
their kind. Where a graph is between them (roads, geodesics) it is one graph of all objects.
"""

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, shortest_path
from scipy.spatial import Delaunay
from scipy.spatial.distance import cdist


def euclidean(points):
    return cdist(points, points)


def gaussian(rng, count, features, decay):
    return euclidean(rng.normal(size=(count, features)) * np.arange(1, features + 1) ** -decay)


def heavy(rng, count):
    return euclidean(rng.standard_t(3, size=(count, 20)) * np.arange(1, 21) ** -0.5)


def mixture(rng, count):
    centres = rng.normal(size=(5, 500)) * 0.35
    return euclidean(centres[rng.integers(5, size=count)] + rng.normal(size=(count, 500)))


def bray_curtis(rng, count):
    abundance = rng.gamma(0.5, size=(4, 60)) * 20
    means = abundance[rng.integers(4, size=count)] * rng.gamma(2, 0.5, size=(count, 60))
    counts = rng.poisson(means) + 1e-9
    return cdist(counts, counts, "braycurtis")


def jaccard(rng, count):
    shares = rng.beta(0.6, 1.2, size=(3, 80))
    sets = rng.random((count, 80)) < shares[rng.integers(3, size=count)]
    sets[:, 0] = True
    return cdist(sets, sets, "jaccard")


def edit(rng, count):
    ancestors = [rng.integers(4, size=30) for _ in range(4)]
    words = []
    for _ in range(count):
        word = list(ancestors[rng.integers(4)])
        for _ in range(rng.poisson(8)):
            at = rng.integers(len(word))
            match rng.integers(3):
                case 0:
                    word[at] = rng.integers(4)
                case 1:
                    word.insert(at, rng.integers(4))
                case _ if len(word) > 5:
                    del word[at]
        words.append(np.array(word))
    return levenshtein(words)


def levenshtein(words):
    """All distances between words of numbers, each word against all others at once."""
    lengths = np.array([len(word) for word in words])
    steps = np.arange(lengths.max() + 1)
    letters = np.full((len(words), lengths.max()), -1)
    for row, word in zip(letters, words):
        row[: len(word)] = word
    distances = []
    for word in words:
        rows = np.tile(steps, (len(words), 1))
        for i, letter in enumerate(word):
            swapped = np.minimum(rows[:, :-1] + (letters != letter), rows[:, 1:] + 1)
            rows = np.column_stack([np.full(len(words), i + 1), swapped])
            # Insertions run along the row: a least value after its own cost per step.
            rows = np.minimum.accumulate(rows - steps, axis=1) + steps
        distances.append(rows[np.arange(len(words)), lengths])
    return np.array(distances, dtype=float)


def graph_distances(points, edges, lengths):
    n = len(points)
    graph = csr_matrix((lengths, (edges[:, 0], edges[:, 1])), shape=(n, n))
    return shortest_path(graph, directed=False)


def roads(rng, count):
    points = rng.random((count, 2)) * [3, 2]
    triangles = Delaunay(points).simplices
    edges = np.unique(np.sort(triangles[:, [[0, 1], [1, 2], [0, 2]]].reshape(-1, 2), axis=1), axis=0)
    straight = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)
    return graph_distances(points, edges, straight * (1 + rng.exponential(0.3, size=len(edges))))


def geodesics(rng, count):
    angle = 1.5 * np.pi * (1 + 2 * rng.random(count))
    points = np.column_stack([angle * np.cos(angle), 21 * rng.random(count), angle * np.sin(angle)])
    distances = euclidean(points)
    for neighbours in range(8, count):
        nearest = np.argsort(distances, axis=1)[:, 1 : neighbours + 1]
        edges = np.column_stack([np.repeat(np.arange(count), neighbours), nearest.ravel()])
        ones = csr_matrix((np.ones(len(edges)), edges.T), shape=(count, count))
        if connected_components(ones, directed=False)[0] == 1:
            break
    return graph_distances(points, edges, distances[edges[:, 0], edges[:, 1]])


def rbf(rng, count):
    points = rng.normal(size=(count, 20)) * np.arange(1, 21) ** -0.5
    return np.exp(-0.1 * cdist(points, points, "sqeuclidean"))


KINDS = {
    "Gaussian, 20 dimensions": lambda rng, n: gaussian(rng, n, 20, 0.5),
    "Gaussian, 300 dimensions": lambda rng, n: gaussian(rng, n, 300, 0.3),
    "heavy tails (t, 3 degrees of freedom)": heavy,
    "mixture of 5 in 500 dimensions": mixture,
    "Bray–Curtis of counts": bray_curtis,
    "Jaccard of sets": jaccard,
    "edit distance of words": edit,
    "roads": roads,
    "geodesics on a rolled sheet": geodesics,
    "RBF kernel": rbf,
}

SIMILARITIES = {"RBF kernel"}
