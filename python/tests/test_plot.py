"""Pictures by matplotlib, coloured, shaped and sized by what is known of the objects."""

import json

import numpy as np
import pytest

import adjoin
from adjoin import _core

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def placed():
    draw = np.random.default_rng(2)
    points = draw.normal(size=(40, 3)) + 3 * (np.arange(40) % 2)[:, None]
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    model = adjoin.ClassicalMDS(n_components=3, metric="precomputed").fit(distances[:30, :30])
    return model.place(distances[30:, :30], strategy="reconstruct")


def words(ax):
    """The words of the legend as they are read, row by row; matplotlib has them by columns."""
    legend = ax.get_legend()
    texts = [text.get_text() for text in legend.get_texts()]
    rows = len(texts) // legend._ncols
    return [texts[column * rows + row] for row in range(rows) for column in range(legend._ncols) if texts[column * rows + row]]


def colours(ax, zorder):
    import matplotlib.colors as mc

    scatters = [c for c in ax.collections if c.get_zorder() == zorder]
    return [mc.to_hex(colour) for c in scatters for colour in np.atleast_2d(c.get_facecolors())]


def test_roles_have_the_colours_of_the_one_table(placed):
    roles = json.loads(_core.look())["roles"]
    ax = placed.plot()
    assert set(colours(ax, 2)) == {roles["old"]["light"]}
    assert set(colours(ax, 5)) == {roles["reconstruction"]["light"]}


def test_classes_numbers_and_sizes(placed):
    habitat = ["marsh", "heath"] * 20
    day = [15, 8, -14, 1] * 10
    depth = [None if i % 7 == 0 else i / 3 for i in range(40)]
    ax = placed.plot(colour_by=habitat, ellipses=True, hulls=True)
    palette = json.loads(_core.look())["classes"]["light"][0]
    assert set(colours(ax, 2)) == set(palette[:2])
    assert words(ax)[-2:] == ["heath", "marsh"]
    assert len(ax.patches) == 4
    # A few whole numbers stand in the order of numbers.
    assert words(placed.plot(colour_by=day))[-4:] == ["-14", "1", "8", "15"]
    sizes = placed.plot(size_by=depth).collections[0].get_sizes()
    assert sizes[39 - 10] > sizes[1] and len(set(np.round(sizes, 3))) > 10
    assert "heath" in words(placed.plot(shape_by=habitat))


def test_metadata_by_name_and_flips(placed):
    pandas = pytest.importorskip("pandas")
    labels = [*placed._map.labels, *placed.labels]
    frame = pandas.DataFrame({"habitat": ["a", "b"] * 20}, index=labels)
    ax = placed.plot(metadata=frame, colour_by="habitat", flip=0, axis_names="PCo")
    plain = placed.plot()
    assert np.allclose(ax.collections[0].get_offsets() * [-1, 1], plain.collections[0].get_offsets())
    assert ax.get_xlabel().startswith("PCo 1 (")
    # The column's name stands before its classes, which begin a row of their own.
    assert words(ax)[-3:] == ["habitat:", "a", "b"]
    both = words(placed.plot(metadata=frame, colour_by="habitat", shape_by="habitat"))
    assert both[-6:] == ["habitat:", "a", "b"] * 2


def test_a_series_is_matched_by_label(placed):
    pandas = pytest.importorskip("pandas")
    points = placed._map.configuration
    names = [f"o{i}" for i in range(30)]
    distances = pandas.DataFrame(np.linalg.norm(points[:, None] - points, axis=2), names, names)
    model = adjoin.GivenMap(link="none").fit(distances, configuration=points)
    habitat = pandas.Series(["a"] * 11 + ["b"] * 19, names)
    expected = colours(model.plot(colour_by=habitat.tolist()), 2)
    assert colours(model.plot(colour_by=habitat.iloc[::-1]), 2) == expected
    with pytest.raises(ValueError, match="metadata: found names in 'colour_by', expected a list by position"):
        placed.plot(colour_by=habitat)


def test_spiders_and_variables(placed):
    habitat = ["marsh", "heath"] * 20
    plain = len(placed.plot(colour_by=habitat).lines)
    ax = placed.plot(colour_by=habitat, spiders=True)
    # For each class a line that visits its fifteen old objects, and a cross at their centroid.
    legs, cross = ax.lines[:2]
    assert len(ax.lines) == plain + 4 and len(legs.get_xdata()) == 3 * 15
    assert np.isclose(np.mean(legs.get_xdata()[::3]), cross.get_xdata()[0])
    # A variable that is the first axis is an arrow along it; noise is none.
    draw = np.random.default_rng(3)
    first = placed._map.configuration[:, 0]
    ax = placed.plot(variables={"first": first, "noise": draw.normal(size=30)}, labels="none")
    names = {text.get_text(): text.xy for text in ax.texts if text.get_text()}
    assert set(names) == {"first"} and names["first"][0] > 0 and abs(names["first"][1]) < 1e-9 * names["first"][0]
    flipped = placed.plot(variables={"first": first}, labels="none", flip=0)
    assert [t.xy[0] for t in flipped.texts if t.get_text() == "first"][0] < 0


def test_what_is_wrong_is_said(placed):
    with pytest.raises(ValueError, match="expected metadata="):
        placed.plot(colour_by="habitat")
    with pytest.raises(ValueError, match="colour_by: found 'x', expected one of y"):
        placed.plot(metadata={"y": range(40)}, colour_by="x")
    with pytest.raises(ValueError, match="found no classes"):
        placed.plot(ellipses=True)
    with pytest.raises(ValueError, match="found no classes"):
        placed.plot(spiders=True)
    with pytest.raises(ValueError, match="variables: found 'wet' for 1 in 'soil', expected numbers"):
        placed.plot(variables={"soil": ["wet"] * 30})
    with pytest.raises(TypeError, match="variables: found list"):
        placed.plot(variables=[1, 2])
    with pytest.raises(ValueError, match="flip: found"):
        placed.plot(flip=7)
    with pytest.raises(ValueError, match="size_by: found classes"):
        placed.plot(size_by=["a", "b"] * 20)
