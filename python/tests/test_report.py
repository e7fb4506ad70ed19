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


def test_no_page_is_left_if_the_newcomers_are_wrong(cities, tmp_path):
    model, data = cities
    path = tmp_path / "page.html"
    with pytest.raises(ValueError, match="Negative values"):
        model.report(path, -data.iloc[18:, :18])
    assert not path.exists()
