"""The interactive page from Python: what it holds is what the estimator computes."""

import base64
import json
import re

import numpy as np
import pandas as pd
import pytest

import adjoin


def element(html, name):
    """The text of one of the page's data elements."""
    return re.search(rf'<script type="[^"]*" id="{name}">(.*?)</script>', html, re.S).group(1)


def doubles(html, name):
    return np.frombuffer(base64.b64decode(element(html, name)))


@pytest.fixture
def cities():
    cities = adjoin.datasets.eurodist()
    model = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18])
    return model, cities


def test_the_page_holds_both_placements_to_the_bit(cities, tmp_path):
    model, data = cities
    new = data.iloc[18:, :18]
    path = tmp_path / "page.html"
    model.report(path, new, title="Cities <by road>")
    html = path.read_text(encoding="utf-8")
    assert "<title>Cities &lt;by road&gt;</title>" in html
    for strategy in ("project", "reconstruct"):
        placed = model.place(new, strategy=strategy)
        assert np.array_equal(doubles(html, strategy), placed.coordinates.ravel())
    assert json.loads(element(html, "words"))["newcomers"]["labels"] == list(new.index)


def test_jointly_and_with_metadata(cities, tmp_path):
    model, data = cities
    path = tmp_path / "page.html"
    frame = pd.DataFrame({"sea": ["yes", None], "size": [1.5, 2.5]}, index=["Athens", "nowhere"])
    model.report(path, data.iloc[18:], between=True, metadata=frame)
    html = path.read_text(encoding="utf-8")
    words = json.loads(element(html, "words"))
    placed = model.place(data.iloc[18:], between=True)
    assert np.array_equal(doubles(html, "chosen"), placed.coordinates.ravel())
    assert words["newcomers"]["joint"]["certified"] == bool(placed.certified)
    assert words["metadata"]["stranger_names"] == ["nowhere"]
    assert [name for name, _ in words["metadata"]["constant"]] == ["sea", "size"]  # one value each: nothing to colour by


def test_metadata_as_a_dict(cities, tmp_path):
    model, data = cities
    path = tmp_path / "page.html"
    model.report(path, metadata={"first": {"Athens": "a"}, "all": [str(i % 2) for i in range(18)]})
    words = json.loads(element(path.read_text(encoding="utf-8"), "words"))
    assert words["newcomers"] is None
    assert [c["groups"] for c in words["metadata"]["columns"]] == [["0", "1"]]
    assert words["metadata"]["constant"] == [["first", "a"]]
    # A class may be called None; what is None, NaN or pandas' NA is no class.
    treated = ["None", "Some", None, float("nan"), pd.NA, ""] + ["None", "Some"] * 6
    model.report(path, metadata={"treatment": treated})
    words = json.loads(element(path.read_text(encoding="utf-8"), "words"))
    assert [c["groups"] for c in words["metadata"]["columns"]] == [["None", "Some"]]
    with pytest.raises(ValueError, match="found 3 values in 'x', expected 18"):
        model.report(path, metadata={"x": [1, 2, 3]})
    with pytest.raises(TypeError, match="metadata: found int"):
        model.report(path, metadata=3)
    with pytest.raises(ValueError, match="strategy: found 'stress' beside between"):
        model.report(path, data.iloc[18:], between=True, strategy="stress")
    with pytest.raises(ValueError, match="X: found None"):
        model.report(path, labels=["a"])
    with pytest.raises(ValueError, match="X: found None"):
        model.report(path, generation=0)


def test_a_series_is_matched_by_label(cities, tmp_path):
    """In whatever order it comes; one without labels goes by position."""
    model, data = cities
    names, path = list(data.index[:18]), tmp_path / "page.html"
    north = pd.Series(["no"] * 9 + ["yes"] * 9, names)
    depth = pd.Series(np.arange(18.0), names)

    def page(model, **told):
        model.report(path, **told)
        return path.read_text(encoding="utf-8")

    expected = page(model, metadata={"north": north.tolist()}, variables={"depth": depth.tolist()})
    for order in (slice(None), slice(None, None, -1)):
        found = page(model, metadata={"north": north.iloc[order]}, variables={"depth": depth.iloc[order]})
        assert found == expected
    assert page(model, metadata={"north": north.reset_index(drop=True)}, variables={"depth": depth.tolist()}) == expected
    with pytest.raises(ValueError, match="metadata: found none of the map's objects in 'north', expected their labels"):
        model.report(path, metadata={"north": north.add_prefix("x")})
    with pytest.raises(ValueError, match="metadata: found the label 'Athens' twice in 'north', expected each label once"):
        model.report(path, metadata={"north": pd.concat([north, north[:1]])})
    nameless = adjoin.ClassicalMDS(metric="precomputed").fit(model.dissimilarity_matrix_)
    for told in (dict(metadata={"north": north}), dict(variables={"north": depth})):
        with pytest.raises(ValueError, match="found names in 'north', expected a list by position: the old objects have no names"):
            nameless.report(path, **told)
    # Rows that only count are those of the map in their order, which it counts from 1.
    expected = page(nameless, metadata={"north": north.tolist()})
    assert page(nameless, metadata=pd.DataFrame({"north": north.tolist()})) == expected
    with pytest.raises(ValueError, match="metadata: found 5 rows without labels, expected 18"):
        nameless.report(path, metadata=pd.DataFrame({"north": range(5)}))


def test_no_page_is_left_if_the_newcomers_are_wrong(cities, tmp_path):
    model, data = cities
    path = tmp_path / "page.html"
    with pytest.raises(ValueError, match="Negative values"):
        model.report(path, -data.iloc[18:, :18])
    assert not path.exists()
