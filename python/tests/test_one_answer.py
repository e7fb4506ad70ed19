"""The shell and Python are asked the same questions, wrong ones and right ones, and give one answer.

A wrong question must be refused by both, and both must name what is at fault: the object, the number or the word. A right
one must be answered with the same bits.
"""

import subprocess

import numpy as np
import pandas as pd
import pytest
from conftest import ADJOIN
from scipy.spatial.distance import cdist

import adjoin

N, K = 24, 5


class World:
    """Old objects and newcomers by features, distances, squares and similarities, as frames and as files."""

    def __init__(self, folder):
        self.folder = folder
        rng = np.random.default_rng(11)
        old, new = rng.normal(size=(N, 4)), rng.normal(size=(K, 4))
        self.old_names = [f"o{i:02}" for i in range(N)]
        self.new_names = [f"n{i}" for i in range(K)]
        features = [f"f{j}" for j in range(4)]
        names = self.old_names + self.new_names
        points = np.vstack([old, new])
        distances = cdist(points, points)
        # Exactly symmetric, zero on the diagonal.
        distances = np.maximum(distances, distances.T)
        self.frames = {}
        self.put("all", pd.DataFrame(distances, index=names, columns=names))
        self.put("old", self["all"].iloc[:N, :N])
        self.put("new", self["all"].iloc[N:, :N])
        self.put("between", self["all"].iloc[N:, N:])
        self.put("old_f", pd.DataFrame(old, index=self.old_names, columns=features))
        self.put("new_f", pd.DataFrame(new, index=self.new_names, columns=features))
        kernel = np.exp(-0.2 * distances**2)
        self.put("sim_all", pd.DataFrame(kernel, index=names, columns=names))
        self.put("sim", self["sim_all"].iloc[:N, :N])
        self.put("sim_new", self["sim_all"].iloc[N:, :N])
        self.put("old2", self["old"] ** 2)
        self.put("new2", self["new"] ** 2)

    def __getitem__(self, name):
        return self.frames[name].copy()

    def put(self, name, frame):
        self.frames[name] = frame
        frame.to_csv(self.folder / f"{name}.tsv", sep="\t")
        return frame

    def lines(self, name, text):
        (self.folder / name).write_text(text)

    def shell(self, *arguments):
        done = subprocess.run(
            [ADJOIN, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True
        )
        return done.returncode, done.stderr


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


def frame_of(path):
    table = pd.read_csv(path, sep="\t", index_col=0)
    table.index = table.index.astype(str)
    return table


LANDMARKS = list(range(0, N, 3))

# name: flags of the shell's fit, the table it reads, the estimator, and what it is fitted to.
METHODS = {
    "cmds": (["-d", 2], "old", lambda: adjoin.ClassicalMDS(2, metric="precomputed"), "old"),
    "squared": (
        ["-d", 2, "--kind", "squared"], "old2", lambda: adjoin.ClassicalMDS(2, metric="precomputed", kind="squared"), "old2",
    ),
    "similarity": (
        ["-d", 2, "--kind", "similarity"],
        "sim",
        lambda: adjoin.ClassicalMDS(2, metric="precomputed", kind="similarity"),
        "sim",
    ),
    "lingoes": (
        ["-d", 2, "--correction", "lingoes"],
        "old",
        lambda: adjoin.ClassicalMDS(2, metric="precomputed", correction="lingoes"),
        "old",
    ),
    "cailliez": (
        ["-d", 2, "--correction", "cailliez"],
        "old",
        lambda: adjoin.ClassicalMDS(2, metric="precomputed", correction="cailliez"),
        "old",
    ),
    "origin": (
        ["-d", 2, "--origin", "o03"], "old", lambda: adjoin.ClassicalMDS(2, metric="precomputed", origin="o03"), "old",
    ),
    "kernel": (
        ["-d", 2, "--method", "kernel-pca", "--kind", "similarity"],
        "sim",
        lambda: adjoin.KernelPCA(2, kernel="precomputed"),
        "sim",
    ),
    "landmark": (
        ["-d", 2, "--method", "landmark", "--landmarks", "landmarks.txt"],
        "old",
        lambda: adjoin.LandmarkMDS(2, metric="precomputed", landmarks=LANDMARKS),
        "old",
    ),
    "landmark turned": (
        ["-d", 2, "--method", "landmark", "--landmarks", "landmarks.txt", "--rotate"],
        "old",
        lambda: adjoin.LandmarkMDS(2, metric="precomputed", landmarks=LANDMARKS, rotate=True),
        "old",
    ),
    "isomap": (
        ["-d", 2, "--method", "isomap", "--neighbors", 6],
        "old",
        lambda: adjoin.Isomap(n_neighbors=6, metric="precomputed", disconnected="refuse"),
        "old",
    ),
    "landmark isomap": (
        ["-d", 2, "--method", "isomap", "--neighbors", 6, "--landmarks", "landmarks.txt"],
        "old",
        lambda: adjoin.Isomap(n_neighbors=6, metric="precomputed", landmarks=LANDMARKS, disconnected="refuse"),
        "old",
    ),
    "laplacian": (
        ["-d", 2, "--method", "laplacian", "--kind", "similarity"],
        "sim",
        lambda: adjoin.LaplacianEigenmaps(2, affinity="precomputed"),
        "sim",
    ),
    "euclidean": (["-d", 2, "--metric", "euclidean"], "old_f", lambda: adjoin.ClassicalMDS(2), "old_f"),
    "cityblock": (
        ["-d", 2, "--metric", "cityblock"], "old_f", lambda: adjoin.ClassicalMDS(2, metric="cityblock"), "old_f",
    ),
    "rbf": (
        ["-d", 2, "--kernel", "rbf", "--gamma", 0.2], "old_f", lambda: adjoin.KernelPCA(2, kernel="rbf", gamma=0.2), "old_f",
    ),
    "isomap of features": (
        ["-d", 2, "--method", "isomap", "--neighbors", 6, "--metric", "euclidean"],
        "old_f",
        lambda: adjoin.Isomap(n_neighbors=6, metric="euclidean", disconnected="refuse"),
        "old_f",
    ),
    "landmark of features": (
        ["-d", 2, "--method", "landmark", "--landmarks", "landmarks.txt", "--metric", "euclidean"],
        "old_f",
        lambda: adjoin.LandmarkMDS(2, landmarks=LANDMARKS),
        "old_f",
    ),
    "heat of features": (
        ["-d", 2, "--method", "laplacian", "--metric", "euclidean", "--gamma", 0.3],
        "old_f",
        lambda: adjoin.LaplacianEigenmaps(2, gamma=0.3),
        "old_f",
    ),
}


def fitted(world, name):
    """The map of a method in the shell, and the estimator in Python."""
    world.lines("landmarks.txt", "".join(f"o{i:02}\n" for i in LANDMARKS))
    flags, table, estimator, given = METHODS[name]
    code, said = world.shell("fit", f"{table}.tsv", *flags, "-o", "map.adjoin", "--threads", 1)
    assert code == 0, said
    model = estimator()
    model.n_jobs = 1
    return model.fit(world[given])


def newcomers_of(name):
    """Which table of newcomers a method takes."""
    given = METHODS[name][3]
    return {"old": "new", "old2": "new2", "sim": "sim_new", "old_f": "new_f"}[given]


# Right questions -----------------------------------------------------------------------------------------------------

RIGHT = [(name, "project", {}) for name in METHODS] + [
    ("cmds", "reconstruct", {}),
    ("cmds", "hyperplane", {}),
    ("landmark turned", "reconstruct", {}),
    ("landmark isomap", "reconstruct", {"weights": True}),
    ("similarity", "reconstruct", {"self": 1.0}),
    ("landmark", "reconstruct", {}),
]


@pytest.mark.parametrize("name, strategy, more", RIGHT, ids=lambda v: str(v) if isinstance(v, str) else "")
def test_right_questions_have_the_same_answer(world, name, strategy, more):
    model = fitted(world, name)
    table = newcomers_of(name)
    flags, options = [], {}
    if more.get("weights"):
        weights = np.linspace(0.5, 1.5, N)
        world.lines("weights.tsv", "".join(f"{o}\t{w!r}\n" for o, w in zip(world.old_names, weights.tolist())))
        flags += ["--weights", "weights.tsv"]
        options["weights"] = weights
    if "self" in more:
        flags += ["--self", more["self"]]
        options["self_similarity"] = more["self"]
    code, said = world.shell(
        "place", "map.adjoin", f"{table}.tsv", "--strategy", strategy, *flags, "-o", "placed.tsv", "--threads", 1
    )
    assert code == 0, said
    ours = model.place(world[table], strategy=strategy, **options).to_frame()
    # What the shell saved, loaded in Python, gives the same once more.
    loaded = adjoin.load(world.folder / "map.adjoin").place(world[table], strategy=strategy, **options)
    assert loaded.to_frame().equals(ours)
    theirs = frame_of(world.folder / "placed.tsv")
    assert ours.index.tolist() == theirs.index.tolist()
    assert ours.columns.tolist() == theirs.columns.tolist()
    for column in theirs:
        if theirs[column].dtype == bool or not pd.api.types.is_numeric_dtype(theirs[column].dtype):
            assert ours[column].astype(str).tolist() == theirs[column].astype(str).tolist(), column
        else:
            assert np.array_equal(
                ours[column].to_numpy(dtype=float), theirs[column].to_numpy(dtype=float), equal_nan=True
            ), column


# Wrong questions -----------------------------------------------------------------------------------------------------

def cell(table, row, column, value, mirror=False):
    """A change of one cell of a table, and of its mirror image if wanted."""

    def change(world):
        frame = world[table]
        frame.loc[row, column] = value
        if mirror:
            frame.loc[column, row] = value
        return world.put(table, frame)

    return change


def without(table, column):
    def change(world):
        return world.put(table, world[table].drop(columns=column))

    return change


def renamed(table, old, new):
    def change(world):
        return world.put(table, world[table].rename(columns={old: new}))

    return change


SQUARES = ["cmds", "landmark", "isomap", "landmark isomap"]
SIMILAR = ["similarity", "kernel", "laplacian"]

# What is wrong, the method, what is changed before the fit, and what both must name.
WRONG_FITS = (
    [(f"asymmetric, {m}", m, cell("old", "o01", "o04", 9.0), ["o01", "o04"]) for m in SQUARES]
    + [(f"negative, {m}", m, cell("old", "o02", "o05", -1.0, True), ["o02", "o05", "-1"]) for m in SQUARES]
    + [(f"missing, {m}", m, cell("old", "o02", "o05", np.nan, True), ["o02", "o05"]) for m in SQUARES]
    + [(f"own distance, {m}", m, cell("old", "o07", "o07", 3.0), ["o07", "3"]) for m in SQUARES]
    + [(f"asymmetric, {m}", m, cell("sim", "o01", "o04", 9.0), ["o01", "o04"]) for m in SIMILAR]
    + [(f"infinite, {m}", m, cell("sim", "o02", "o05", np.inf, True), ["o02", "o05"]) for m in SIMILAR]
    + [
        (f"infinite feature, {m}", m, cell("old_f", "o06", "f2", np.inf), ["o06", "f2"])
        for m in ("euclidean", "rbf", "isomap of features")
    ]
)


@pytest.mark.parametrize("what, name, change, words", WRONG_FITS, ids=lambda v: v if isinstance(v, str) else "")
def test_wrong_fits_are_refused_alike(world, what, name, change, words):
    world.lines("landmarks.txt", "".join(f"o{i:02}\n" for i in LANDMARKS))
    change(world)
    flags, table, estimator, given = METHODS[name]
    code, said = world.shell("fit", f"{table}.tsv", *flags, "-o", "map.adjoin")
    assert code == 1, (code, said)
    assert not (world.folder / "map.adjoin").exists()
    with pytest.raises(ValueError) as refused:
        estimator().fit(world[given])
    for word in words:
        # Features are checked by scikit-learn first, which names neither.
        if "feature" not in what:
            assert word in str(refused.value), str(refused.value)
        assert word in said, said


PLACED = ["cmds", "landmark", "landmark turned", "isomap", "landmark isomap"]

# What is wrong, the method, the table of newcomers, what is changed in it, and what both must name.
WRONG_PLACES = (
    [(f"negative, {m}", m, "new", cell("new", "n1", "o03", -2.0), ["n1", "o03", "-2"]) for m in PLACED]
    + [(f"infinite, {m}", m, "new", cell("new", "n2", "o06", np.inf), ["n2", "o06"]) for m in PLACED]
    + [(f"no column, {m}", m, "new", without("new", "o06"), ["o06"]) for m in PLACED]
    + [(f"unknown column, {m}", m, "new", renamed("new", "o06", "zz"), ["o06"]) for m in ("cmds", "isomap")]
    + [
        (f"another old part, {m}", m, "all", cell("all", "o00", "o03", 77.0, True), ["o00"])
        for m in ("cmds", "landmark", "landmark turned")
    ]
    + [("no such feature", "euclidean", "new_f", without("new_f", "f2"), ["f2"])]
)


@pytest.mark.parametrize("what, name, table, change, words", WRONG_PLACES, ids=lambda v: v if isinstance(v, str) else "")
def test_wrong_newcomers_are_refused_alike(world, what, name, table, change, words):
    model = fitted(world, name)
    change(world)
    code, said = world.shell("place", "map.adjoin", f"{table}.tsv", "-o", "placed.tsv")
    assert code == 1, (code, said)
    assert not (world.folder / "placed.tsv").exists()
    with pytest.raises(ValueError) as refused:
        model.place(world[table])
    for word in words:
        assert word in str(refused.value), str(refused.value)
        assert word in said, said


def test_a_strategy_beside_jointly_is_refused_alike(world):
    model = fitted(world, "cmds")
    code, _ = world.shell("place", "map.adjoin", "all.tsv", "--jointly", "--strategy", "stress", "-o", "x.tsv")
    assert code == 2
    with pytest.raises(ValueError, match="between"):
        model.place(world["all"], strategy="stress", between=True)


def test_the_old_objects_own_similarity_is_taken_alike(world):
    """All old objects are as similar to themselves, so newcomers are taken to be: said by both."""
    model = fitted(world, "similarity")
    code, said = world.shell("place", "map.adjoin", "sim_new.tsv", "--strategy", "reconstruct", "-o", "x.tsv")
    assert code == 0 and "taken to be 1, as all old objects' are" in said
    placed = model.place(world["sim_new"], strategy="reconstruct")
    assert "taken to be 1, as all old objects' are" in placed.remarks_[0]
    theirs = pd.read_csv(world.folder / "x.tsv", sep="\t")
    assert np.array_equal(placed.coordinates, theirs[["axis1", "axis2"]])


def test_reconstruct_without_self_similarity_is_refused_alike(world):
    cell("sim", "o00", "o00", 1.5)(world)
    model = fitted(world, "similarity")
    code, said = world.shell("place", "map.adjoin", "sim_new.tsv", "--strategy", "reconstruct", "-o", "x.tsv")
    assert code == 1 and "n0" in said and "reconstruct" in said
    with pytest.raises(ValueError, match="n0.*reconstruct"):
        model.place(world["sim_new"], strategy="reconstruct")


def test_a_between_that_is_not_symmetric_is_refused_alike(world):
    model = fitted(world, "cmds")
    cell("between", "n0", "n3", 5.0)(world)
    code, said = world.shell("place", "map.adjoin", "new.tsv", "--between", "between.tsv", "-o", "x.tsv")
    assert code == 1 and "between.tsv" in said and "n0" in said and "n3" in said
    with pytest.raises(ValueError, match="between.*n0.*n3|between.*n3.*n0"):
        model.place(world["new"], between=world["between"])
