"""Answers as objects: tables, words, pictures."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import adjoin


def test_frames(europe, cities):
    model, new = europe
    placed = model.place(new, strategy="reconstruct")
    frame = placed.to_frame()
    assert frame.index.name == "label" and frame.loc["Vienna", "status"] == "unique"
    assert np.array_equal(frame[["axis1", "axis2"]], placed.coordinates)
    table = placed.to_frame("polars")
    assert table["label"].to_list() == placed.labels
    assert table.columns[1:] == list(frame.columns)
    with pytest.raises(ValueError, match="library: found 'arrow'"):
        placed.to_frame("arrow")
    joint = model.place(cities, between=True).to_frame("polars")
    assert joint["certified"].to_list() == [True] * 3 and joint["gap"].to_list() == [0.0] * 3
    arc = model.arc(new.iloc[0], points=4)
    assert arc.to_frame("polars").height == 4


def test_words(europe, cities):
    model, new = europe
    placed = model.place(new)
    assert len(placed) == 3 and repr(placed) == "<Placements of 3 newcomers by project: 3 unique>"
    html = placed._repr_html_()
    assert html.count("<tr>") == 4 and "Stockholm" in html
    hostile = model.place(new, labels=["<script>", "b", "c"])._repr_html_()
    assert "<script>" not in hostile
    assert "more" in model.place(np.tile(new, (10, 1)))._repr_html_()
    arc = model.arc(new.iloc[2])
    assert repr(arc).startswith("<Arc of 'Vienna' in 50 points")
    comparison = model.compare(cities, between=True)
    assert len(comparison) == 3 and comparison.jointly.certified
    assert "Vienna" in str(comparison) and "<li>" in comparison._repr_html_()
    assert set(comparison.to_frame()["strategy"]) == {*comparison.placements, "jointly"}
    assert "18 objects on 2 axes" in repr(model.map_)


def test_known_and_the_proof_of_each_hyperplane(europe):
    model, new = europe
    holes = new.to_numpy().copy()
    holes[0, 2] = np.nan
    placed = model.place(holes, "hyperplane")
    assert placed.known.tolist() == [17, 18, 18] and placed.known.dtype.kind == "i"
    assert placed.certified.dtype == bool and placed.certified.shape == placed.gap.shape == (3,)
    proved = placed.placed & placed.certified
    assert (placed.gap[proved] == 0).all() and (placed.gap[placed.placed & ~placed.certified] > 0).all()
    assert not placed.jointly and repr(placed).startswith("<Placements of 3 newcomers by hyperplane: ")
    assert list(placed.to_frame().columns[7:13]) == ["known", "p", "p_outside", "p_inside", "certified", "gap"]
    assert model.place(new, "reconstruct").certified is None and not hasattr(placed, "position")


def test_the_map_is_a_value(europe, tmp_path):
    """Frozen, pickled as the bytes of its file, saved by itself."""
    import pickle

    model, new = europe
    assert isinstance(model.map_, adjoin.Map) and model.model_ is model.map_
    assert adjoin.Map.__module__ == "adjoin"
    model.map_.save(tmp_path / "map.adjoin")
    again = pickle.loads(pickle.dumps(model.map_))
    again.save(tmp_path / "again.adjoin")
    assert (tmp_path / "map.adjoin").read_bytes() == (tmp_path / "again.adjoin").read_bytes()
    assert repr(adjoin.Map((tmp_path / "map.adjoin").read_bytes())) == repr(model.map_)
    with pytest.raises(AttributeError):
        model.map_.count = 3
    with pytest.raises(ValueError, match="a map in bytes: found"):
        adjoin.Map(b"nothing")
    loaded = adjoin.load(tmp_path / "again.adjoin")
    assert np.array_equal(loaded.transform(new), model.transform(new))


def test_add_is_the_older_name_of_place(europe):
    model, new = europe
    assert np.array_equal(model.add(X_new=new, strategy="stress").coordinates, model.place(new, "stress").coordinates)


def test_identities(europe):
    """The ends of the arcs are projection and reconstruction; nothing beats reconstruction."""
    model, new = europe
    projected, reconstructed = model.place(new), model.place(new, "reconstruct")
    assert np.array_equal(reconstructed.projections, projected.coordinates)
    for i, arc in enumerate(reconstructed.arcs(9)):
        assert np.array_equal(arc.coordinates[0], projected.coordinates[i])
        assert np.array_equal(arc.coordinates[-1], reconstructed.coordinates[i])
        assert np.allclose(np.diff(arc.position), 1 / 8)
    assert (reconstructed.objective <= projected.objective).all()
    assert (reconstructed.margin >= 0).all() and (reconstructed.stationarity < 1e-13).all()
    assert (projected.lambda_ == 0).all()
    assert np.allclose(model.place(model.dissimilarity_matrix_).coordinates, model.embedding_, atol=1e-7)


def test_pictures(europe, cities, rng):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    model, new = europe
    placed = model.place(new, "reconstruct")
    ax = placed.plot()
    assert {text.get_text() for text in ax.texts} == set(cities.columns)
    assert len(ax.lines) == 2 + 3  # the two zero lines, and three arcs
    assert ax.get_aspect() == 1
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["old objects", "projection", "reconstruction", "arc"]
    ax.figure.canvas.draw()
    boxes = [matplotlib.text.Text.get_window_extent(text) for text in ax.texts]  # without leaders
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    # Projections are drawn with their arcs too, as the command line draws them.
    words = [text.get_text() for text in model.place(new).plot().get_legend().get_texts()]
    assert words == ["old objects", "projection", "reconstruction", "arc"]
    words = [text.get_text() for text in model.place(new).plot(arcs=False).get_legend().get_texts()]
    assert words == ["old objects", "projection"]
    assert placed.plot(ax, labels="none") is ax
    assert not model.plot(labels="none").texts
    assert len(model.plot().texts) == 18
    assert model.place(cities, between=True).plot(arcs=False).texts
    assert model.place(cities, between=True).plot().lines
    assert model.arc(new.iloc[0]).plot().texts
    X = rng.normal(size=(60, 4))
    D, D_new = cdist(X[:50], X[:50]), cdist(X[50:], X[:50])
    line = adjoin.ClassicalMDS(1, metric="precomputed").fit(D)
    assert line.place(D_new[:3]).plot().get_yticks().size == 0
    solid = adjoin.ClassicalMDS(3, metric="precomputed").fit(D)
    assert solid.plot(axes=(2, 0)).get_xlabel().startswith("axis 3")
    with pytest.raises(ValueError, match="axes: found"):
        solid.plot(axes=(0, 3))
    with pytest.raises(ValueError, match="labels: found"):
        solid.plot(labels="some")
    # Without similarities of newcomers to themselves there are projections alone.
    kernel = X @ X.T
    similar = adjoin.ClassicalMDS(metric="precomputed", kind="similarity").fit(kernel[:50, :50])
    words = [text.get_text() for text in similar.place(kernel[50:, :50]).plot().get_legend().get_texts()]
    assert words == ["old objects", "projection"]
    holes = new.to_numpy().copy()
    holes[0] = np.nan
    holes[0, 0] = 1
    assert len(model.place(holes).plot().texts) == 20  # a newcomer without a place has no label
    plt.close("all")


def test_ordination():
    """As scikit-bio has it: the newcomers, or everybody with the old objects first."""
    skbio = pytest.importorskip("skbio")
    cities = adjoin.datasets.eurodist()
    model = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18])
    placed = model.place(cities.iloc[18:, :18], "reconstruct")
    alone, everybody = placed.to_ordination(), placed.to_ordination(with_old=True)
    assert isinstance(alone, skbio.OrdinationResults) and alone.samples.index.tolist() == ["Rome", "Stockholm", "Vienna"]
    assert np.array_equal(alone.samples.to_numpy(), placed.coordinates)
    assert np.array_equal(everybody.samples.to_numpy(), np.vstack([model.embedding_, placed.coordinates]))
    assert np.array_equal(alone.eigvals.to_numpy(), model.eigenvalues_)
