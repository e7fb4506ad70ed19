"""What a reader can do on the page with a real table of metadata: each control, and what it changes."""

import csv
import io
import json
import pathlib
import random
import xml.etree.ElementTree as ET

import pytest
from test_page import Opened, chromium, cities, make_report, pytestmark, run, table, write_points  # noqa: F401

COLUMNS = ["habitat", "day", "depth", "sampled", "barcode", "site"]


@pytest.fixture(scope="module")
def soils(tmp_path_factory):
    """Fifty old samples and twelve newcomers on four axes, with metadata as people have them."""
    folder = tmp_path_factory.mktemp("soils")
    draw = random.Random(8)
    habitats = ["marsh", "heath", "wood"]
    labels = [f"s{i:02}" for i in range(62)]
    points = [[draw.gauss(3 * (i % 3), 1), draw.gauss(0, 1.4), draw.gauss(0, 1), draw.gauss(0, 0.7)] for i in range(62)]
    write_points(folder, points, labels, 50, 4)
    with open(folder / "metadata.tsv", "w", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(["id", *COLUMNS])
        for i, label in enumerate(labels):
            depth = "not collected" if i % 7 == 0 else f"{10 ** (i / 20):.3f}"
            barcode = "".join(draw.choice("ACGT") for _ in range(12))
            day = [15, 8, -14, 1][i % 4]
            writer.writerow([label, habitats[i % 3], f"{day}.0", depth, f"2015-10-{1 + i % 28:02}", barcode, "north"])
        for i in range(5):
            writer.writerow([f"elsewhere {i}", "marsh", "1", "2", "2015-01-01", "AC", "north"])
    out, _ = make_report(folder, "map.adjoin", "new.tsv", "--metadata", "metadata.tsv")
    return out


def entries(opened):
    """The legend's classes and whether each is shown."""
    items = opened.page.locator("#legend button.switch").all()
    return {item.inner_text(): item.get_attribute("aria-pressed") for item in items}


def colour_by(opened, name):
    opened.page.get_by_label("colour", exact=True).select_option(label=name)
    opened.settle()


def saved(opened, button):
    with opened.page.expect_download() as download:
        opened.page.get_by_role("button", name=button, exact=True).click()
    return pathlib.Path(download.value.path()).read_bytes()


def test_metadata_as_people_have_them(chromium, soils):  # noqa: F811
    opened = Opened(chromium, soils)
    page = opened.page
    offered = page.get_by_label("colour", exact=True).locator("option").all_inner_texts()
    # Constants and barcodes are nothing to colour by.
    assert offered == ["old and new", "habitat", "day", "depth", "sampled"]
    colour_by(opened, "day")
    # A few whole numbers stand in the order of numbers.
    names = [k.split(" (")[0] for k in entries(opened)]
    assert names[-4:] == ["-14", "1", "8", "15"]
    colour_by(opened, "depth")
    legend = page.locator("#legend").inner_text()
    # Words for missing leave numbers numbers.
    assert "no value (9)" in legend and page.locator("#legend .ramp").count() == 1
    before = opened.pixels("#map-old")
    page.get_by_label("ramp", exact=True).select_option(label="by rank")
    opened.settle()
    assert opened.pixels("#map-old") != before and "by rank" in page.locator("#legend").inner_text()
    colour_by(opened, "sampled")
    assert "2015-10-01" in page.locator("#legend").inner_text()
    assert "5 rows of other objects" in page.locator("#metadata-note").inner_text()
    assert page.locator("#notes").is_hidden()
    opened.fine()


def test_the_legend_hides_shows_and_isolates(chromium, soils):  # noqa: F811
    opened = Opened(chromium, soils)
    page = opened.page
    colour_by(opened, "habitat")
    whole = opened.pixels("#map-old")
    page.locator("#legend button", has_text="marsh").click()
    opened.settle()
    assert opened.pixels("#map-old") != whole
    assert page.locator("#table tbody tr[data-at]").count() == 8
    page.locator("#legend button.all").click()
    opened.settle()
    assert opened.pixels("#map-old") == whole
    page.locator("#legend button", has_text="heath").dblclick()
    pressed = {k.split(" (")[0]: v for k, v in entries(opened).items()}
    assert (pressed["heath"], pressed["marsh"], pressed["wood"]) == ("true", "false", "false")
    page.locator("#legend button.all").click()
    page.locator("#legend button", has_text="12 newcomers").click()
    assert page.locator("#table tbody").inner_text() == "No newcomer matches."
    opened.fine()


def test_filter_acts_on_the_map_the_table_and_what_is_saved(chromium, soils):  # noqa: F811
    opened = Opened(chromium, soils)
    page = opened.page
    before = opened.pixels("#map-new")
    page.locator("#filter").fill("heath")
    opened.settle()
    assert opened.pixels("#map-new") != before
    rows = page.locator("#table tbody tr[data-at]").count()
    assert 0 < rows < 12
    assert len(opened.places()) == rows
    opened.fine()


def test_old_objects_are_found_and_chosen(chromium, soils):  # noqa: F811
    opened = Opened(chromium, soils)
    page = opened.page
    page.locator("#search").fill("s07")
    page.locator("#found li").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.locator("#detail-title").inner_text() == "s07"
    assert "old object" in page.locator("#detail").inner_text()
    assert page.locator("#detail .near button").count() == 5
    # The map follows: from afar it comes into sight.
    page.locator("#detail .near button").first.click()
    near = page.locator("#detail-title").inner_text()
    assert near != "s07"
    # The ground chooses nobody.
    box = page.locator("#map").bounding_box()
    page.mouse.click(box["x"] + 70, box["y"] + 16)
    assert page.locator("#detail-title").inner_text() == "Nobody is chosen"
    page.locator("#map").focus()
    page.keyboard.press("o")
    assert page.locator("#detail-title").inner_text() == "s00"
    opened.fine()


def test_neighbours_verdict_and_folded_numbers(chromium, soils):  # noqa: F811
    opened = Opened(chromium, soils)
    page = opened.page
    assert page.locator("#intro").inner_text().count(".") >= 2
    verdict = page.locator("#detail .verdict").inner_text()
    assert "like the old objects (p " in verdict and "Projection and reconstruction lie" in verdict
    captions = page.locator("#detail caption").all_inner_texts()
    assert captions == ["nearest, as given", "nearest on the map"]
    folded = page.locator("#detail details.numbers")
    assert not folded.locator("dl").is_visible()
    folded.locator("summary").click()
    assert "global minimum" in folded.inner_text() and "p nearest" in folded.inner_text()
    # It stays open for the next newcomer.
    page.locator("#table tbody tr[data-at]").nth(3).click()
    assert page.locator("#detail details.numbers dl").is_visible()
    opened.fine()


def test_newcomers_are_ranked_by_p_as_the_program_computes_it(chromium, soils):  # noqa: F811
    run(soils.parent, "place", "map.adjoin", "new.tsv", "-o", "p.tsv")
    rows = sorted(table(soils.parent / "p.tsv").values(), key=lambda r: (float(r["p"]), -abs(float(r["residual"]))))
    opened = Opened(chromium, soils)
    page = opened.page
    assert page.locator("#table tbody th").all_inner_texts() == [r["label"] for r in rows]
    assert page.locator("#detail-title").inner_text() == rows[0]["label"]
    p = float(rows[0]["p"])
    assert f"{p:.3f}" in page.locator("#table tbody tr").first.inner_text()
    assert "least like the old objects first" in page.locator("#table-title").inner_text()
    assert "false discovery rate" in page.locator("#table-note").inner_text()
    assert "foreign" not in page.locator("body").inner_text().lower()
    opened.fine()


def test_remarks_on_the_newcomers_are_notes(chromium, soils):  # noqa: F811
    folder = soils.parent
    lines = (folder / "new.tsv").read_text().splitlines()
    large = [line.split("\t") for line in lines[1:]]
    rows = ["\t".join([label, *(repr(1000 * float(v)) for v in values)]) for label, *values in large]
    (folder / "metres.tsv").write_text("\n".join([lines[0], *rows]) + "\n")
    done = run(folder, "report", "map.adjoin", "metres.tsv", "-o", "metres.html")
    opened = Opened(chromium, folder / "metres.html")
    note = opened.page.locator("main #notes").inner_text()
    # The words of the shell, as a sentence.
    assert "unit" in note and note.strip().endswith("?")
    assert note.strip()[1:60] in done.stderr.replace("\n", " ")
    opened.fine()


def test_two_strategies_side_by_side(chromium, soils):  # noqa: F811
    folder = soils.parent
    run(folder, "report", "map.adjoin", "new.tsv", "--beside", "augment,hyperplane", "-o", "beside.html")
    run(folder, "place", "map.adjoin", "new.tsv", "--strategy", "augment", "-o", "augment.tsv")
    run(folder, "place", "map.adjoin", "new.tsv", "--strategy", "hyperplane", "-o", "hyperplane.tsv")
    opened = Opened(chromium, folder / "beside.html")
    page = opened.page
    page.get_by_label("view", exact=True).select_option(label="two strategies")
    opened.settle()
    assert page.locator("#map").is_hidden()
    left, right = (page.get_by_label(name, exact=True) for name in ("left", "right"))
    assert left.locator("option").all_inner_texts() == ["projection", "reconstruction", "placement by augment", "placement by hyperplane"]
    left.select_option(label="placement by augment")
    right.select_option(label="placement by hyperplane")
    opened.settle()
    label = page.locator("#detail-title").inner_text()
    a, h = (table(folder / f"{s}.tsv")[label] for s in ("augment", "hyperplane"))
    apart = sum((float(a[f"axis{j}"]) - float(h[f"axis{j}"])) ** 2 for j in range(1, 5)) ** 0.5
    said = page.locator("#map-note").inner_text()
    assert f"{label} moves by" in said
    assert abs(float(said.split(f"{label} moves by ")[1].rstrip(".")) - apart) <= 1e-3 * apart + 1e-3
    # One object, chosen in one panel, is ringed in both; the detail says who it is.
    canvas = page.locator("#other-view canvas")
    box = canvas.bounding_box()
    before = opened.pixels("#other-view canvas")
    chosen = page.locator("#detail-title").inner_text()
    for x in range(20, int(box["width"] / 2), 25):
        for y in range(40, int(box["height"]) - 30, 25):
            page.mouse.click(box["x"] + x, box["y"] + y)
            now = page.locator("#detail-title").inner_text()
            if now not in (chosen, "Nobody is chosen"):
                break
        else:
            continue
        break
    assert now not in (chosen, "Nobody is chosen")
    opened.settle()
    halves = "c => [0, 1].map(i => { const w = c.width >> 1; const p = document.createElement('canvas'); p.width = w; p.height = c.height; p.getContext('2d').drawImage(c, -i * (c.width - w), 0); return p.toDataURL(); })"
    chosen_halves = canvas.evaluate(halves)
    assert opened.pixels("#other-view canvas") != before
    canvas.focus()
    page.keyboard.press("+")
    opened.settle()
    zoomed = canvas.evaluate(halves)
    # Both move together.
    assert zoomed[0] != chosen_halves[0] and zoomed[1] != chosen_halves[1]
    picture = ET.fromstring(saved(opened, "SVG"))
    classes = [e.get("class") for e in picture.iter() if e.get("class")]
    assert classes.count("newcomer") > 12
    opened.until("location.hash.includes('beside=augment%2Chyperplane')")
    address = page.url
    opened.fine()
    again = Opened(chromium, folder / "beside.html", fragment=address.partition("#")[2])
    assert again.page.get_by_label("left", exact=True).input_value() == "2"
    assert again.page.locator("#other-view").is_visible()
    again.fine()


def test_every_view_is_saved_as_it_is_seen(chromium, soils):  # noqa: F811
    opened = Opened(chromium, soils)
    page = opened.page
    space = "{http://www.w3.org/2000/svg}"
    for view, old in (("two axes", 50), ("three axes", 50), ("all pairs", 6 * 50)):
        page.get_by_label("view", exact=True).select_option(label=view)
        opened.settle()
        picture = ET.fromstring(saved(opened, "SVG"))
        marks = [e for e in picture.iter() if e.get("class") == "old"]
        assert len(marks) == old, view
        assert all(e.find(f"{space}title") is not None for e in marks)
        assert saved(opened, "PNG").startswith(b"\x89PNG")
    opened.fine()


def test_what_can_be_taken_out(chromium, soils):  # noqa: F811
    opened = Opened(chromium, soils)
    colour_by(opened, "habitat")
    picture = ET.fromstring(saved(opened, "SVG"))
    space = "{http://www.w3.org/2000/svg}"
    classes = [e.get("class") for e in picture.iter() if e.get("class")]
    assert classes.count("old") == 50 and classes.count("newcomer") == 12
    titles = {e.text for e in picture.iter(f"{space}title")}
    assert {"s00", "s61"} <= titles
    words = {e.text for e in picture.iter(f"{space}text")}
    assert {"marsh", "heath", "wood"} <= words
    assert saved(opened, "PNG").startswith(b"\x89PNG")
    rows = list(csv.DictReader(io.StringIO(saved(opened, "CSV").decode())))
    assert len(rows) == 62 and rows[0]["habitat"] == "marsh" and rows[-1]["role"] == "new"
    assert rows[0]["depth"] == "" and rows[1]["sampled"] == "2015-10-02"
    opened.fine()


def test_boxes_and_lassos_mark(chromium, soils):  # noqa: F811
    opened = Opened(chromium, soils)
    page = opened.page
    box = page.locator("#map").bounding_box()
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] + 70, box["y"] + 15)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 60, steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    opened.settle()
    button = page.locator("#marked button")
    count = int(button.inner_text().split()[1])
    assert 0 < count < 62
    with page.expect_download() as download:
        button.click()
    assert len(pathlib.Path(download.value.path()).read_text().splitlines()) == count + 1
    page.get_by_role("button", name="Mark objects in a lasso").click()
    # To be clicked, a button is brought into sight: the map may be elsewhere now.
    box = page.locator("#map").bounding_box()
    page.mouse.move(box["x"] + 70, box["y"] + 15)
    page.mouse.down()
    for x, y in ((0.9, 0.1), (0.9, 0.85), (0.12, 0.85)):
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"], steps=3)
    page.mouse.up()
    assert int(button.inner_text().split()[1]) > count
    opened.fine()


def test_the_address_restores_the_view(chromium, soils):  # noqa: F811
    opened = Opened(chromium, soils)
    page = opened.page
    colour_by(opened, "habitat")
    page.get_by_label("across", exact=True).select_option(label="axis 3")
    page.get_by_label("Flip left and right").click()
    page.locator("#legend button", has_text="wood").click()
    page.get_by_label("ellipses").check()
    opened.slide(0.4)
    page.locator("#table tbody tr[data-at]").nth(2).click()
    chosen = page.locator("#detail-title").inner_text()
    opened.until("location.hash.includes('at=0.4') && location.hash.includes('chosen')")
    address = page.url
    opened.settle()
    pixels = opened.pixels("#map-old")
    opened.fine()
    again = Opened(chromium, soils, fragment=address.partition("#")[2])
    again.settle()
    assert again.page.locator("#detail-title").inner_text() == chosen
    assert again.page.get_by_label("across", exact=True).input_value() == "2"
    assert again.page.locator("#slider").input_value() == "0.4"
    assert entries(again)[next(k for k in entries(again) if k.startswith("wood"))] == "false"
    assert again.pixels("#map-old") == pixels
    again.fine()


def test_flips_pairs_and_three_axes(chromium, soils):  # noqa: F811
    opened = Opened(chromium, soils)
    page = opened.page
    before = opened.pixels("#map-old")
    page.get_by_label("Flip up and down").click()
    opened.settle()
    assert opened.pixels("#map-old") != before
    page.get_by_label("view", exact=True).select_option(label="three axes")
    opened.settle()
    solid = page.locator("#other-view canvas")
    assert solid.is_visible() and page.locator("#map").is_hidden()
    before = opened.pixels("#other-view canvas")
    solid.focus()
    page.keyboard.press("ArrowLeft")
    opened.settle()
    assert opened.pixels("#other-view canvas") != before
    page.get_by_label("view", exact=True).select_option(label="all pairs")
    opened.settle()
    # The last panel is axes 3 and 4; a click shows that pair.
    box = solid.bounding_box()
    page.mouse.click(box["x"] + box["width"] - 60, box["y"] + box["height"] - 60)
    assert page.locator("#map").is_visible()
    across, up = (page.get_by_label(n, exact=True).input_value() for n in ("across", "up"))
    assert (across, up) == ("2", "3")
    opened.fine()


def test_groups_are_drawn(chromium, soils):  # noqa: F811
    opened = Opened(chromium, soils)
    page = opened.page
    assert not page.get_by_label("ellipses").is_visible()
    colour_by(opened, "habitat")
    seen = {opened.pixels("#map-old")}
    for name in ("ellipses", "hulls", "spiders"):
        page.get_by_label(name).check()
        opened.settle()
        seen.add(opened.pixels("#map-old"))
    assert len(seen) == 4
    opened.fine()


def test_labels_are_few_among_many_and_the_chosen_always_has_one(chromium, soils):  # noqa: F811
    opened = Opened(chromium, soils)
    page = opened.page
    opened.until("document.querySelector('#map-note').textContent.includes('of 62 objects')")
    few = int(page.locator("#map-note").inner_text().split()[0])
    assert 1 <= few <= 13
    page.get_by_label("labels", exact=True).select_option(label="all that fit")
    # All of them fit here, and nothing is left to be said.
    opened.until(f"!(parseInt(document.querySelector('#map-note').textContent) <= {few})")
    page.get_by_label("labels", exact=True).select_option(label="none")
    opened.until("document.querySelector('#map-note').textContent.startsWith('1 of 62')")
    opened.fine()


def test_the_demo_has_north_up_and_west_left(chromium, cities):  # noqa: F811
    opened = Opened(chromium, cities / "europe.html")
    picture = ET.fromstring(saved(opened, "SVG"))
    space = "{http://www.w3.org/2000/svg}"
    at = {}
    for circle in picture.iter(f"{space}circle"):
        title = circle.find(f"{space}title")
        if title is not None:
            at[title.text] = (float(circle.get("cx")), float(circle.get("cy")))
    assert at["Stockholm"][1] < at["Rome"][1] and at["Lisbon"][0] < at["Vienna"][0] < at["Athens"][0]
    opened.fine()


AXE = pathlib.Path(__file__).parents[1] / "web" / "node_modules" / "axe-core" / "axe.min.js"


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is installed by npm ci in page/web")
@pytest.mark.parametrize("width", [1440, 1024, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(chromium, soils, width, scheme):  # noqa: F811
    # The page's policy forbids other scripts, as it should: here it is set aside.
    opened = Opened(chromium, soils, color_scheme=scheme, viewport={"width": width, "height": 900}, bypass_csp=True)
    colour_by(opened, "habitat")
    opened.page.add_script_tag(path=AXE)
    found = opened.page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    said = [(v["id"], [n["target"] for n in v["nodes"]][:3]) for v in found]
    assert said == [], json.dumps(said)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    opened.context.close()


def test_forced_colours(chromium, soils):  # noqa: F811
    opened = Opened(chromium, soils, forced_colors="active")
    # The slider's track is seen: it has a colour of the system, not the gradient that such modes take away.
    assert opened.page.locator("#slider").is_visible()
    assert opened.page.evaluate("matchMedia('(forced-colors: active)').matches")
    opened.fine()


def test_a_map_with_a_link_shows_its_old_pairs(chromium, tmp_path):  # noqa: F811
    """Nothing is said of eigenvalues or projections where there are none: the Shepard diagram, the stress, one place for each."""
    draw = random.Random(3)
    points = [[draw.gauss(0, 2), draw.gauss(0, 1)] for _ in range(34)]
    labels = [f"p{i}" for i in range(34)]
    write_points(tmp_path, points, labels, 30, 2)
    with open(tmp_path / "xy.tsv", "w") as file:
        file.write("\ta\tb\n" + "".join(f"{label}\t{10 * x}\t{10 * y}\n" for label, (x, y) in zip(labels[:30], points)))
    run(tmp_path, "fit", "old.tsv", "--configuration", "xy.tsv", "--link", "monotone", "-o", "linked.adjoin")
    out, _ = make_report(tmp_path, "linked.adjoin", "new.tsv")
    page = Opened(chromium, out).page
    assert page.locator("#scree-title").inner_text() == "The old pairs"
    note = page.locator("#scree-note").inner_text()
    assert "All 435 pairs" in note and "monotone link" in note and "stress" in note
    text = page.locator("body").inner_text()
    assert "eigenvalue" not in text and "from projection" not in text and "reconstructed" not in text
    assert "placed by stress, the map's own criterion" in text
    shepard = page.locator("#shepard").get_attribute("aria-label")
    assert "placement by stress" in shepard
