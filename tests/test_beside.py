"""What adjoin writes, read by other programs, and its numbers beside theirs.

`./check` runs these in its virtual environment, after the Rust tests have built the program.
"""

import json
import os
import pathlib
import subprocess

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist, pdist, squareform

ROOT = pathlib.Path(__file__).resolve().parent.parent
ADJOIN = os.environ.get("ADJOIN", str(ROOT / "target" / "debug" / "adjoin"))


def adjoin(*arguments, cwd):
    run = subprocess.run([ADJOIN, *map(str, arguments)], cwd=cwd, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def labelled(matrix, rows, columns):
    return pd.DataFrame(matrix, index=rows, columns=columns)


@pytest.fixture(params=["iris", "wine", "digits"])
def split(request, tmp_path):
    """Real features, Euclidean distances, two thirds old; written as pandas writes them."""
    from sklearn import datasets

    features = getattr(datasets, f"load_{request.param}")().data[::3].astype(float)
    old, new = features[: len(features) * 2 // 3], features[len(features) * 2 // 3 :]
    names = [f"object {i}" for i in range(len(old))]
    later = [f"newcomer {i}" for i in range(len(new))]
    distances = squareform(pdist(old))
    labelled(distances, names, names).to_csv(tmp_path / "old.csv")
    labelled(cdist(new, old), later, names).to_csv(tmp_path / "new.csv")
    adjoin("fit", "old.csv", "-d", 3, "-o", "map.adjoin", cwd=tmp_path)
    return tmp_path, distances, cdist(new, old), old, new


def axes(table):
    return table[["axis1", "axis2", "axis3"]].to_numpy()


def test_projection_is_kernel_pca_and_principal_components(split):
    """scikit-learn's KernelPCA on −½D², and PCA on the features, place newcomers alike."""
    from sklearn.decomposition import PCA, KernelPCA

    folder, old, new, features, later = split
    adjoin("add", "map.adjoin", "new.csv", "-o", "placed.parquet", cwd=folder)
    ours = axes(pd.read_parquet(folder / "placed.parquet"))
    kernel = KernelPCA(3, kernel="precomputed").fit(-0.5 * old**2)
    for theirs in (kernel.transform(-0.5 * new**2), PCA(3).fit(features).transform(later)):
        assert np.allclose(np.abs(ours), np.abs(theirs), atol=1e-8 * np.abs(ours).max())


def test_reconstruction_is_not_beaten_by_local_searches(split):
    """SciPy, from fifty starts, finds no lower objective."""
    from scipy.optimize import minimize

    folder, old, new, *_ = split
    table = json.loads(adjoin("add", "map.adjoin", "new.csv", "--strategy", "reconstruct", "--json", cwd=folder))
    adjoin("convert", "map.adjoin", "coordinates.tsv", cwd=folder)
    x = axes(pd.read_csv(folder / "coordinates.tsv", sep="\t"))
    squared, rng = old**2, np.random.default_rng(0)
    r, m = squared.mean(0), squared.mean()
    for i in range(5):
        a = new[i] ** 2
        b, beta = -0.5 * (a - a.mean() - r + m), a.mean() - m / 2

        def objective(y):
            e, s = x @ y - b, y @ y - beta
            return 2 * e @ e + s * s, 4 * x.T @ e + 4 * s * y

        spread = np.sqrt(abs(beta))
        best = min(minimize(objective, rng.normal(size=3) * spread, jac=True).fun for _ in range(50))
        assert table[i]["objective"] <= best * (1 + 1e-9)


def test_scikit_bio_reads_the_ordination(split):
    """Old and new together, in the form that Emperor and QIIME 2 read."""
    from skbio import OrdinationResults
    from skbio.stats.ordination import pcoa

    folder, old, *_ = split
    adjoin("add", "map.adjoin", "new.csv", "--with-old", "-o", "all.ordination", cwd=folder)
    results = OrdinationResults.read(str(folder / "all.ordination"))
    assert "object 0" in results.samples.index and "newcomer 0" in results.samples.index
    theirs = pcoa(__import__("skbio").DistanceMatrix(old), number_of_dimensions=3)
    ours = results.samples.to_numpy()[: len(old), :3]
    assert np.allclose(np.abs(ours), np.abs(theirs.samples.to_numpy()), atol=1e-8 * np.abs(ours).max())
    assert np.allclose(results.eigvals[:3], theirs.eigvals[:3], rtol=1e-10)


def test_biplot_scores_are_scikit_bios(split):
    """The arrows that Emperor draws: scikit-bio's own, in the place where it keeps them."""
    from skbio import DistanceMatrix, OrdinationResults
    from skbio.stats.ordination import pcoa, pcoa_biplot

    folder, old, _, features, _ = split
    names = [f"object {i}" for i in range(len(old))]
    table = labelled(features, names, [f"v{j}" for j in range(features.shape[1])])
    table.to_csv(folder / "variables.csv")
    theirs = pcoa(DistanceMatrix(old, names), number_of_dimensions=3)
    expected = pcoa_biplot(theirs, table).features.to_numpy()
    for words in (["convert", "map.adjoin", "map.ordination"], ["add", "map.adjoin", "new.csv", "-o", "new.ordination"]):
        adjoin(*words, "--variables", "variables.csv", cwd=folder)
        results = OrdinationResults.read(str(folder / words[-1]))
        assert list(results.features.index) == list(table.columns)
        ours = results.features.to_numpy()[:, :3]
        assert np.allclose(np.abs(ours), np.abs(expected), atol=1e-8 * np.abs(expected).max())


def test_scikit_bio_and_numpy_files_are_read(split):
    """An lsmat and an .npy of the same distances give the same map as the table."""
    from skbio import DistanceMatrix

    folder, old, new, *_ = split
    reference = adjoin("add", "map.adjoin", "new.csv", cwd=folder)
    names = [f"object {i}" for i in range(len(old))]
    DistanceMatrix(old, names).write(str(folder / "old.lsmat"))
    adjoin("fit", "old.lsmat", "-d", 3, "-o", "lsmat.adjoin", cwd=folder)
    assert adjoin("add", "lsmat.adjoin", "new.csv", cwd=folder) == reference
    np.save(folder / "old.npy", old)
    (folder / "names.txt").write_text("\n".join(names) + "\n")
    adjoin("fit", "old.npy", "--labels", "names.txt", "-d", 3, "-o", "npy.adjoin", cwd=folder)
    assert adjoin("add", "npy.adjoin", "new.csv", cwd=folder) == reference


def test_the_map_is_a_safetensors_file(split):
    """Anyone can read a map: its header is JSON and its tensors are what they say."""
    folder, old, *_ = split
    raw = (folder / "map.adjoin").read_bytes()
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + length])
    assert list(header["__metadata__"]) and len(header["__metadata__"]) == 1
    shapes = [tuple(t["shape"]) for name, t in header.items() if name != "__metadata__"]
    assert (len(old), 3) in shapes
    assert len(raw) < 8 * len(old) * 40 + 65536
