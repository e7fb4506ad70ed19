"""Controls one by one, on a map with all that a map can have: metadata, variables, uncertainty, objects at the same place."""

import csv
import io
import json
import random
import re
import xml.etree.ElementTree as ET

import pytest
from test_explore import colour_by, saved
from test_page import Opened, chromium, cities, make_report, pytestmark, run, table, write_points  # noqa: F401

SPACE = "{http://www.w3.org/2000/svg}"
# The name of a variable as classifiers write it: its end is what tells it from others.
LONG = "k__Bacteria; p__Firmicutes; c__Clostridia; o__Clostridiales; f__Lachnospiraceae; g__Roseburia"


@pytest.fixture(scope="module")
def plots(tmp_path_factory):
    """Forty old plots and nine newcomers on four axes: three old ones and three new ones are at the same place each."""
    folder = tmp_path_factory.mktemp("plots")
    draw = random.Random(5)
    labels = [f"plot {i:02}" for i in range(49)]
    points = [[draw.gauss(4 * (i % 2), 1), draw.gauss(0, 1.5), draw.gauss(0, 1.2), draw.gauss(0, 0.8), draw.gauss(0, 0.2)] for i in range(49)]
    points[7] = points[9] = points[11]
    points[45] = points[46] = points[47]
    # One that the map has never seen: far out in the direction that it does not have.
    points[48] = [0, 0, 0, 0, 14]
    write_points(folder, points, labels, 40, 4)
    kinds = ["fen", "bog"]
    with open(folder / "metadata.tsv", "w", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(["id", "kind", "year", "depth", *(f"extra {j}" for j in range(14))])
        for i, label in enumerate(labels):
            depth = "not collected" if i % 6 == 0 else f"{2 ** (i / 6):.3f}"
            writer.writerow([label, kinds[i % 2], 2000 + i % 5, depth, *(f"{draw.random():.3f}" for _ in range(14))])
    with open(folder / "soil.tsv", "w", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(["id", "acid", "noise", LONG])
        for i, (label, point) in enumerate(zip(labels[:40], points)):
            writer.writerow([label, f"{point[0] + draw.gauss(0, 0.3):.3f}", i * 17 % 10, f"{point[3] + draw.gauss(0, 0.3):.3f}"])
    words = ["--metadata", "metadata.tsv", "--variables", "soil.tsv", "--uncertainty"]
    out, _ = make_report(folder, "map.adjoin", "new.tsv", *words)
    return out


def drawing(opened):
    """What is seen, as SVG: marks by label with their middle, and labels with where they begin."""
    picture = ET.fromstring(saved(opened, "SVG"))
    marks = {}
    for circle in picture.iter(f"{SPACE}circle"):
        title = circle.find(f"{SPACE}title")
        if title is not None and title.text:
            marks[title.text] = (float(circle.get("cx")), float(circle.get("cy")), float(circle.get("r")))
    group = next((g for g in picture.iter(f"{SPACE}g") if g.get("id") == "labels"), None)
    labels = [] if group is None else [(t.text, float(t.get("x")), float(t.get("y")), t.get("font-weight")) for t in group.iter(f"{SPACE}text")]
    return picture, marks, labels


def choose(opened, field, label):
    opened.page.get_by_label(field, exact=True).select_option(label=label)
    opened.settle()


def test_the_batch_is_judged_at_the_top(chromium, plots):  # noqa: F811
    run(plots.parent, "place", "map.adjoin", "new.tsv", "-o", "placed.json")
    rows = json.loads((plots.parent / "placed.json").read_text())
    assessment = rows[0]["assessment"]
    opened = Opened(chromium, plots)
    batch = opened.page.locator("main #batch")
    badge = batch.locator(".badge").inner_text()
    assert badge == {"fine": "Fine", "watch": "Watch", "refit": "Refit", "unknown": "No verdict"}[assessment["verdict"]]
    assert f"{assessment['unlike']} of {assessment['newcomers']} newcomers" in batch.inner_text()
    # It stands above the map.
    assert batch.bounding_box()["y"] < opened.page.locator("#map").bounding_box()["y"]
    opened.fine()


def test_regions_of_uncertainty_are_those_of_the_program(chromium, plots):  # noqa: F811
    run(plots.parent, "place", "map.adjoin", "new.tsv", "--uncertainty", "-o", "certain.tsv")
    placed = table(plots.parent / "certain.tsv")
    opened = Opened(chromium, plots)
    page = opened.page
    label = page.locator("#detail-title").inner_text()
    verdict = page.locator("#detail .verdict").inner_text()
    se = [float(placed[label][f"se{j}"]) for j in (1, 2)]
    said = verdict.split("certain to ± ")[1]
    first, second = said.split(" on axis 1 and ± ")[0], said.split(" on axis 1 and ± ")[1].split(" on axis 2")[0]
    assert abs(float(first) - se[0]) <= 1e-3 * se[0] + 1e-4 and abs(float(second) - se[1]) <= 1e-3 * se[1] + 1e-4
    assert "95 % region" in page.locator("#legend").inner_text()

    def regions():
        opened.settle()
        picture, _, _ = drawing(opened)
        group = next(g for g in picture.iter(f"{SPACE}g") if g.get("id") == "regions")
        return [p.get("d") for p in group.iter(f"{SPACE}path")]

    all_nine = regions()
    assert len(all_nine) == 9
    choose(opened, "uncertainty", "the chosen")
    assert len(regions()) == 1
    # On the way the region is another than at the end.
    before = regions()
    opened.slide(1)
    assert regions() != before
    choose(opened, "uncertainty", "none")
    assert regions() == [] and "95 % region" not in page.locator("#legend").inner_text()
    for view in ("all pairs", "two strategies"):
        choose(opened, "view", view)
        bare = opened.pixels("#other-view canvas")
        choose(opened, "uncertainty", "all")
        assert opened.pixels("#other-view canvas") != bare, view
        choose(opened, "uncertainty", "none")
    opened.until("location.hash.includes('regions=none')")
    opened.fine()


def test_objects_at_the_same_place_are_counted(chromium, plots):  # noqa: F811
    opened = Opened(chromium, plots)
    page = opened.page
    opened.until("document.querySelector('#map-note').textContent.includes('6 objects share 2 places')")
    _, marks, labels = drawing(opened)
    assert any("×3" in text for text, *_ in labels)
    box = page.locator("#map").bounding_box()
    for name in ("plot 11", "plot 45"):
        x, y, _ = marks[name]
        page.mouse.move(box["x"] + x, box["y"] + y)
        opened.settle()
        assert "and 2 more objects at the same place" in page.locator("#tooltip").inner_text(), name
    opened.fine()


def test_a_tooltip_never_covers_its_mark_and_has_the_coloured_column_first(chromium, plots):  # noqa: F811
    opened = Opened(chromium, plots, viewport={"width": 700, "height": 900})
    page = opened.page
    colour_by(opened, "kind")
    _, marks, _ = drawing(opened)
    seen = 0
    for name, (x, y, r) in marks.items():
        box = page.locator("#map").bounding_box()
        # From the edge of its reach, not only from its middle.
        page.mouse.move(box["x"] + x + 4, box["y"] + y - 4)
        opened.settle()
        tooltip = page.locator("#tooltip")
        if not tooltip.is_visible():
            continue
        seen += 1
        said = tooltip.locator("strong").inner_text()
        u, v, _ = marks[said]
        over = tooltip.bounding_box()
        inside = (
            over["x"] - r < box["x"] + u < over["x"] + over["width"] + r and over["y"] - r < box["y"] + v < over["y"] + over["height"] + r
        )
        assert not inside, (name, said, over)
        assert tooltip.locator("dt").first.inner_text() == "kind"
    assert seen > 30
    opened.fine()


def test_labels_cover_no_mark(chromium, plots):  # noqa: F811
    opened = Opened(chromium, plots)
    choose(opened, "labels", "all that fit")
    _, marks, labels = drawing(opened)
    assert len(labels) > 25
    measure = """labels => { const pen = document.createElement('canvas').getContext('2d');
        return labels.map(([text, bold]) => { pen.font = `${bold ? '600 ' : ''}12px system-ui, sans-serif`; return pen.measureText(text).width; }); }"""
    widths = opened.page.evaluate(measure, [[text, weight is not None] for text, _, _, weight in labels])
    for (text, left, middle, _), width in zip(labels, widths):
        for name, (x, y, r) in marks.items():
            if name.startswith(text.split(" ×")[0].strip("\u2068\u2069")):
                continue
            covers = left - r + 1 < x < left + width + r - 1 and middle - 6 - r + 1 < y < middle + 6 + r - 1
            assert not covers, (text, name)
    opened.fine()


def test_roles_can_be_shown_alone(chromium, plots):  # noqa: F811
    opened = Opened(chromium, plots)
    page = opened.page
    page.locator("#legend button", has_text="9 newcomers").dblclick()
    opened.settle()
    pressed = {b.inner_text(): b.get_attribute("aria-pressed") for b in page.locator("#legend button.switch").all()}
    assert pressed["40 old objects"] == "false" and pressed["9 newcomers"] == "true"
    _, marks, _ = drawing(opened)
    assert len(marks) == 9
    opened.fine()


def test_what_is_saved_is_all_shown_or_marked(chromium, plots):  # noqa: F811
    opened = Opened(chromium, plots)
    page = opened.page
    colour_by(opened, "kind")
    rows = {}
    page.locator("#legend button", has_text="bog").click()
    for whose in ("all", "those shown", "those marked"):
        choose(opened, "objects", whose)
        rows[whose] = list(csv.DictReader(io.StringIO(saved(opened, "CSV").decode())))
        tabs = list(csv.DictReader(io.StringIO(saved(opened, "TSV").decode()), delimiter="\t"))
        assert tabs == rows[whose]
    assert len(rows["all"]) == 49 and rows["those marked"] == []
    assert {r["kind"] for r in rows["those shown"]} == {"fen"} and len(rows["those shown"]) == 25
    opened.fine()


def test_columns_can_be_searched_sized_and_read_as_classes(chromium, plots):  # noqa: F811
    opened = Opened(chromium, plots)
    page = opened.page
    colour = page.get_by_label("colour", exact=True)
    assert colour.locator("option").count() == 18
    page.get_by_label("Find a column of the metadata").fill("dep")
    assert colour.locator("option").all_inner_texts() == ["old and new", "depth"]
    colour_by(opened, "depth")
    page.get_by_label("Find a column of the metadata").fill("")
    seen = set()
    for ramp in ("linear", "logarithmic", "by rank"):
        choose(opened, "ramp", ramp)
        seen.add(opened.pixels("#map-old"))
    assert len(seen) == 3
    plain = opened.pixels("#map-old")
    choose(opened, "size", "depth")
    assert opened.pixels("#map-old") != plain and "size, depth" in page.locator("#legend").inner_text()
    choose(opened, "size", "none")
    colour_by(opened, "year")
    ordered = opened.pixels("#map-old")
    choose(opened, "numbers", "as classes")
    assert opened.pixels("#map-old") != ordered
    choose(opened, "shape", "kind")
    assert "bog" in page.locator("#legend").inner_text()
    opened.fine()


def test_variables_are_listed_and_drawn(chromium, plots):  # noqa: F811
    opened = Opened(chromium, plots)
    page = opened.page
    assert page.locator("#variables-rows tr").first.inner_text().startswith("acid")
    picture, _, _ = drawing(opened)
    names = [t.text for g in picture.iter(f"{SPACE}g") if g.get("id") == "variables" for t in g.iter(f"{SPACE}text")]
    assert set(names) == {"acid", "k__Bacteria; p…Roseburia"}
    # On axes where one of them is longer than the objects are spread, it is in sight all the same.
    choose(opened, "up", "axis 4")
    picture, _, _ = drawing(opened)
    plot = next(picture.iter(f"{SPACE}clipPath")).find(f"{SPACE}rect")
    left, top, width, height = (float(plot.get(k)) for k in ("x", "y", "width", "height"))
    group = next(g for g in picture.iter(f"{SPACE}g") if g.get("id") == "variables")
    corners = [tuple(map(float, at)) for p in group.iter(f"{SPACE}path") for at in re.findall(r"[ML]([-\d.]+)[ ,]([-\d.]+)", p.get("d"))]
    assert len(corners) > 8
    assert all(left <= x <= left + width and top <= y <= top + height for x, y in corners)
    page.get_by_label("variables", exact=True).uncheck()
    opened.settle()
    picture, _, _ = drawing(opened)
    assert not [t for g in picture.iter(f"{SPACE}g") if g.get("id") == "variables" for t in g.iter(f"{SPACE}text")]
    opened.fine()


def test_three_axes_of_the_readers_choice_are_in_the_address(chromium, plots):  # noqa: F811
    opened = Opened(chromium, plots)
    page = opened.page
    assert not page.get_by_label("depth", exact=True).is_visible()
    choose(opened, "view", "three axes")
    # What cannot be drawn in three dimensions is not offered there.
    colour_by(opened, "kind")
    assert not page.get_by_label("ellipses").is_visible() and not page.get_by_label("uncertainty").is_visible()
    before = opened.pixels("#other-view canvas")
    choose(opened, "depth", "axis 4")
    assert opened.pixels("#other-view canvas") != before
    canvas = page.locator("#other-view canvas")
    canvas.focus()
    for key in ("ArrowLeft", "ArrowUp", "+"):
        page.keyboard.press(key)
    opened.settle()
    seen = opened.pixels("#other-view canvas")
    # The address is written at a pace of its own: not the turn after the first key, but the one after the last.
    opened.until("location.hash.includes('turn=-0.72%2C0.28%2C1.25') && location.hash.includes('depth=4')")
    fragment = page.url.partition("#")[2]
    opened.fine()
    again = Opened(chromium, plots, fragment=fragment)
    again.settle()
    assert again.pixels("#other-view canvas") == seen
    assert again.page.get_by_label("depth", exact=True).input_value() == "3"
    again.fine()


def test_axes_on_which_a_newcomer_moves_most(chromium, plots):  # noqa: F811
    opened = Opened(chromium, plots)
    page = opened.page
    for row in range(9):
        page.locator("#table tbody tr[data-at]").nth(row).click()
        button = page.locator("#detail button", has_text="Show axes")
        if button.count():
            words = button.inner_text().split()
            button.click()
            shown = [page.get_by_label(n, exact=True).input_value() for n in ("across", "up")]
            assert shown == [str(int(words[2]) - 1), str(int(words[4]) - 1)]
            break
    else:
        pytest.fail("nobody moves on axes that are not shown")
    opened.fine()


def test_zoom_buttons_and_the_help(chromium, plots):  # noqa: F811
    opened = Opened(chromium, plots)
    page = opened.page
    whole = opened.pixels("#map-old")
    page.get_by_role("button", name="Zoom in").click()
    opened.settle()
    near = opened.pixels("#map-old")
    assert near != whole
    page.get_by_role("button", name="Zoom out").click()
    page.get_by_role("button", name="Show all").click()
    opened.settle()
    assert opened.pixels("#map-old") == whole
    help_ = page.locator("details.help")
    assert help_.locator("summary").is_visible()
    help_.locator("summary").click()
    assert "arrow keys move it" in help_.inner_text()
    # Whatever is said at the top stands inside a landmark.
    assert page.evaluate("['batch', 'notes'].every(id => document.getElementById(id).closest('main'))")
    opened.fine()


def test_the_table_names_the_nearest_old_object(chromium, plots):  # noqa: F811
    with open(plots.parent / "new.tsv") as file:
        rows = list(csv.reader(file, delimiter="\t"))
    opened = Opened(chromium, plots)
    page = opened.page
    heads = [h.inner_text() for h in page.locator("#table thead button").all()]
    at = heads.index("nearest")
    for row in page.locator("#table tbody tr[data-at]").all():
        label, *_ = row.locator("th").all_inner_texts()
        given = next(r for r in rows if r[0] == label)
        least = min(float(v) for v in given[1:])
        nearest = {rows[0][j] for j in range(1, len(given)) if float(given[j]) == least}
        assert row.locator("td").nth(at - 1).inner_text() in nearest
    opened.fine()


SQUARE = """canvas => {
  const { width, height } = canvas;
  const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, width, height);
  const at = (x, y) => Array.from(data.subarray(4 * (y * width + x), 4 * (y * width + x) + 4));
  const style = getComputedStyle(document.documentElement);
  const faint = [1, 3, 5].map(i => parseInt(style.getPropertyValue('--faint').trim().slice(i, i + 2), 16));
  const isFaint = (x, y) => { const p = at(x, y); return p[3] > 200 && faint.every((v, i) => Math.abs(v - p[i]) < 6); };
  // The axes: the longest runs of their colour, across and up.
  const longest = (along, across, hit) => {
    let best = [0, 0, 0];
    for (let j = 0; j < across; j++)
      for (let i = 0, from = 0; i <= along; i++)
        if (i === along || !hit(i, j)) { if (i - from > best[0]) best = [i - from, from, j]; from = i + 1; }
    return best;
  };
  const [w, x0, y1] = longest(width, height, isFaint);
  const [h] = longest(height, width, (i, j) => isFaint(j, i));
  let diagonal = 0;
  for (let t = 2; t < w - 2; t++) diagonal += [-1, 0, 1].some(k => at(x0 + t, y1 - t + k)[3] > 60) ? 1 : 0;
  // Marks: what has colour.
  const box = [Infinity, -Infinity, Infinity, -Infinity];
  for (let y = Math.max(0, y1 - w); y < y1; y++)
    for (let x = x0 + 1; x < x0 + w; x++) {
      const [r, g, b, a] = at(x, y);
      if (a > 120 && Math.max(r, g, b) - Math.min(r, g, b) > 60) {
        box[0] = Math.min(box[0], x - x0); box[1] = Math.max(box[1], x - x0);
        box[2] = Math.min(box[2], y1 - y); box[3] = Math.max(box[3], y1 - y);
      }
    }
  return { w, h, diagonal: diagonal / (w - 4), low: Math.min(box[0], box[2]) / w, high: Math.max(box[1], box[3]) / w };
}"""


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_the_shepard_plot_is_square_and_on_the_datas_own_range(chromium, cities, width):  # noqa: F811
    opened = Opened(chromium, cities / "europe.html", viewport={"width": width, "height": 900})
    found = opened.page.locator("#shepard canvas:not(.overlay)").first.evaluate(SQUARE)
    assert found["w"] > 150 and abs(found["w"] - found["h"]) <= 2, found
    # What is shown as it is given is on the line, from one corner to the other.
    assert found["diagonal"] > 0.97, found
    # Roads from Athens are 817 to some 4500 km long: an axis from 0 would begin 0.17 before the first of them.
    assert 0 < found["low"] < 0.07 and 0.93 < found["high"] < 1, found
    opened.fine()


def test_the_chosen_newcomers_arc_is_clear_among_many(chromium, tmp_path):  # noqa: F811
    """Beyond forty newcomers arcs and their ends are faint; who is chosen or pointed at has them as if alone."""
    draw = random.Random(2)
    points = [[draw.gauss(0, 3), draw.gauss(0, 2), draw.gauss(0, 1.5) if i < 30 else draw.gauss(4, 1)] for i in range(90)]
    write_points(tmp_path, points, [f"p{i}" for i in range(90)], 30, 2)
    out, _ = make_report(tmp_path, "map.adjoin", "new.tsv")
    opened = Opened(chromium, out)
    # Pixels of the reconstruction's own colour: the layer of the old objects has faint ones only, that of the chosen is clear.
    exact = """c => { const copy = new OffscreenCanvas(c.width, c.height).getContext('2d', { willReadFrequently: true }); copy.drawImage(c, 0, 0);
        const d = copy.getImageData(0, 0, c.width, c.height).data; let found = 0;
        for (let i = 0; i < d.length; i += 4) found += d[i] === 0x00 && d[i + 1] === 0x67 && d[i + 2] === 0xa3 && d[i + 3] === 255; return found; }"""
    assert opened.page.locator("#map-old").evaluate(exact) == 0
    assert opened.page.locator("#map-top").evaluate(exact) > 0
    opened.page.locator("#map").focus()
    opened.page.keyboard.press("Escape")
    opened.settle()
    assert opened.page.locator("#map-top").evaluate(exact) == 0
    opened.fine()


def test_numbers_are_said_as_they_were_written(chromium, plots):  # noqa: F811
    opened = Opened(chromium, plots)
    colour_by(opened, "depth")
    choose(opened, "size", "year")
    legend = opened.page.locator("#legend").inner_text()
    assert "size, year: 2000" in legend and "2004" in legend
    opened.page.locator("#detail summary", has_text="Metadata").click()
    said = opened.page.locator("#detail").inner_text()
    assert re.search(r"\b200[0-4]\b", said) and "2,00" not in said
    opened.fine()


def test_on_a_phone_remarks_stand_below_the_map(chromium, cities):  # noqa: F811
    run(cities, "fit", "cities.tsv", "-d", "1", "-o", "line.adjoin")
    out, _ = make_report(cities, "line.adjoin")
    for width, below in ((1440, False), (390, True)):
        opened = Opened(chromium, out, viewport={"width": width, "height": 844})
        notes, the_map = (opened.page.locator(part).bounding_box() for part in ("#notes", "#map-card"))
        assert (notes["y"] > the_map["y"]) == below, width
        opened.fine()
