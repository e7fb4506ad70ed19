"""Which strategy? What `evaluate` says on data that everybody has: the tables of docs/strategies.md.

    python bench/evidence/strategies.py [--only wine dune] [--out bench/evidence/STRATEGIES.md]

* digits: 1797 pictures of 8 × 8 (scikit-learn), Euclidean distances and an RBF kernel of 300 of them
* wine: 13 measurements of 178 wines (scikit-learn), standardised, Euclidean distances
* dune: cover of 30 plants on 20 meadows (Jongman, ter Braak and van Tongeren 1987, Data Analysis in Community and Landscape
  Ecology; as the R package vegan has it), Bray–Curtis; dune.csv beside this script has the numbers
* eurodist: road distances between 21 cities (R's datasets), with the project
"""

import argparse
import pathlib
import sys

import adjoin
import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits, load_wine
from sklearn.metrics.pairwise import rbf_kernel

HERE = pathlib.Path(__file__).parent
STRATEGIES = ("project", "reconstruct", "hyperplane", "augment", "stress")
MEASURES = ("neighbours", "rank", "between", "radius", "shown", "error", "unplaced", "knn_fitted", "knn_loo")


def data():
    """Yield a name, the model's class and parameters, proximities, and classes if there are any."""
    X, y = load_digits(return_X_y=True)
    yield "digits, d = 2", adjoin.ClassicalMDS, {}, cdist(X, X), y
    yield "digits, d = 10", adjoin.ClassicalMDS, dict(n_components=10), cdist(X, X), y
    some = np.random.default_rng(1).permutation(len(X))[:300]
    kernel = rbf_kernel(X[some], gamma=0.01)
    yield "300 digits, RBF kernel (γ = 0.01), d = 20", adjoin.KernelPCA, dict(n_components=20), kernel, y[some]
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    yield "wine, d = 2", adjoin.ClassicalMDS, {}, cdist(X, X), y
    dune = pd.read_csv(HERE / "dune.csv", index_col="site")
    counts = dune.drop(columns="Management").to_numpy(float)
    yield "dune, d = 2", adjoin.ClassicalMDS, {}, cdist(counts, counts, "braycurtis"), None
    yield "eurodist, d = 2", adjoin.ClassicalMDS, {}, adjoin.datasets.eurodist().to_numpy(float), None


def cell(found, name, s):
    value = found.scores[name][s]
    if np.isnan(value):
        return "–"
    text = f"{value:.3f}"
    if s and name not in ("unplaced",):
        step, error = found.differences[name][s], found.errors[name][s]
        if abs(step) > 2 * error > 0:
            text = f"**{text}**"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", help="data whose names begin so")
    parser.add_argument("--out")
    args = parser.parse_args()
    lines = [
        "# Strategies on data that everybody has",
        "",
        f"Made by `python bench/evidence/strategies.py{' --only ' + ' '.join(args.only) if args.only else ''}`. What differs from project's by more than two standard errors is bold; whether it "
        "is better is another matter: larger is better of `neighbours`, `rank` and `knn`, smaller of `between` and `error`; "
        "`radius` and `shown` are best near 1.",
    ]
    for name, estimator, parameters, proximities, classes in data():
        if args.only and not name.startswith(tuple(args.only)):
            continue
        how = dict(kernel="precomputed") if estimator is adjoin.KernelPCA else dict(metric="precomputed")
        model = estimator(**how, **parameters).fit(proximities)
        strategies = STRATEGIES if estimator is adjoin.ClassicalMDS else STRATEGIES[:-1]
        found = model.evaluate(proximities, y=classes, strategies=strategies)
        beside = np.median(model.map_.old_residuals) / model.eigenvalues_[-1]
        measures = [m for m in MEASURES if m in found.scores]
        lines += ["", f"## {name}", ""]
        lines.append(
            f"{len(proximities)} objects, {found.folds} folds, {found.repeats} times, seed {found.seed}; median ρ²/c_d of the old "
            f"objects, each left out: {beside:.2f}."
        )
        lines += ["", "| strategy | " + " | ".join(f"`{m}`" for m in measures) + " |", "| --- " * (len(measures) + 1) + "|"]
        for s, strategy in enumerate(found.strategies):
            lines.append(f"| {strategy} | " + " | ".join(cell(found, m, s) for m in measures) + " |")
        two = model.evaluate(proximities, y=classes)
        lines += ["", f"`evaluate` by itself tries project and reconstruct, and says: *{two.says}*"]
        print("\n".join(lines[-len(found.strategies) - 6 :]), file=sys.stderr, flush=True)
    text = "\n".join(lines) + "\n"
    if args.out:
        pathlib.Path(args.out).write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
