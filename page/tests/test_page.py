"""The page in a browser: what it shows equals what the program computes, and nothing in it runs but its own script."""

import csv
import json
import math
import os
import pathlib
import random
import subprocess
import time

import pytest
from browser import browser, chromium_path

ADJOIN = os.environ.get("ADJOIN", "adjoin")
LARGE = os.environ.get("ADJOIN_LARGE_PAGE")
ROOT = pathlib.Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(chromium_path() is None, reason="there is no Chromium here")


def run(folder, *words, code=0):
    done = subprocess.run([ADJOIN, *map(str, words)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


def table(path):
    with open(path, newline="") as file:
        return {row["label"]: row for row in csv.DictReader(file, delimiter="\t")}


@pytest.fixture(scope="module")
def chromium():
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def cities(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cities")
    run(folder, "demo", "-o", folder)
    return folder


class Opened:
    """A page with its console watched."""

    def __init__(self, chromium, path, **options):
        options.setdefault("viewport", {"width": 1280, "height": 900})
        fragment = options.pop("fragment", "")
        self.context = chromium.new_context(**options)
        self.page = self.context.new_page()
        self.wrong = []
        self.requests = []
        self.page.on("console", lambda m: self.wrong.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda e: self.wrong.append(str(e)))
        self.page.on("dialog", lambda d: (self.wrong.append(f"dialog {d.message}"), d.dismiss()))
        self.page.on("request", lambda r: self.requests.append(r.url))
        self.page.goto(pathlib.Path(path).resolve().as_uri() + (f"#{fragment}" if fragment else ""))
        self.until("document.querySelector('#title').textContent !== ''")
        self.settle()

    def until(self, expression, seconds=10):
        """Waits until something is so. Playwright's own way evaluates strings in the page, which its policy forbids."""
        end = time.monotonic() + seconds
        while not self.page.evaluate(expression):
            assert time.monotonic() < end, expression
            time.sleep(0.02)

    def settle(self):
        self.page.evaluate("() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")

    def slide(self, share):
        self.page.locator("#slider").evaluate(
            "(s, v) => { s.value = v; s.dispatchEvent(new Event('input')) }", str(share)
        )
        self.settle()

    def places(self):
        """The places where the slider is, as the page saves them."""
        with self.page.expect_download() as download:
            self.page.get_by_role("button", name="Save places").click()
        return table(download.value.path())

    def pixels(self, layer):
        """A digest of a canvas. A picture that took long to draw is moved at first, and drawn anew when the hand rests."""
        self.until(f"document.querySelector('{layer}').style.transform === ''")
        return self.page.locator(layer).evaluate("c => c.toDataURL()")

    def fine(self):
        assert self.wrong == []
        assert [r for r in self.requests if not r.startswith(("file:", "blob:", "data:"))] == []
        self.context.close()


def make_report(folder, *words, code=0):
    out = folder / "page.html"
    done = run(folder, "report", *words, "-o", out, code=code)
    return out, done.stderr


def equal(shown, computed, d, tolerance):
    for label, row in computed.items():
        for j in range(1, d + 1):
            expected = float(row[f"axis{j}"])
            size = math.hypot(*(float(row[f"axis{i}"]) for i in range(1, d + 1)))
            assert abs(float(shown[label][f"axis{j}"]) - expected) <= tolerance * size, (label, j)


def test_the_demo_page_opens(chromium, cities):
    opened = Opened(chromium, cities / "europe.html")
    page = opened.page
    assert page.locator("#table tbody tr[data-at]").count() == 3
    assert page.locator("#detail-title").inner_text() == "Athens"
    opened.fine()


def test_the_ends_of_the_slider_are_the_programs_numbers(chromium, cities):
    for strategy in ("project", "reconstruct"):
        run(cities, "add", "europe.adjoin", "new.tsv", "--strategy", strategy, "-o", f"{strategy}.tsv")
    run(cities, "arc", "europe.adjoin", "new.tsv", "--points", "11", "-o", "arcs.tsv")
    opened = Opened(chromium, cities / "europe.html")
    equal(opened.places(), table(cities / "project.tsv"), 2, 1e-12)
    opened.slide(1)
    equal(opened.places(), table(cities / "reconstruct.tsv"), 2, 1e-12)
    # Between them the page goes the same way as `adjoin arc`, evenly spaced.
    with open(cities / "arcs.tsv", newline="") as file:
        rows = [r for r in csv.DictReader(file, delimiter="\t") if abs(float(r["position"]) - 0.3) < 1e-9]
    assert len(rows) == 3
    opened.slide(0.3)
    shown = opened.places()
    equal(shown, {r["label"]: r for r in rows}, 2, 1e-7)
    for row in rows:
        assert math.isclose(float(shown[row["label"]]["lambda"]), float(row["lambda"]), rel_tol=1e-5)
    opened.fine()


def test_play_moves_newcomers_and_leaves_the_old_alone(chromium, cities):
    opened = Opened(chromium, cities / "europe.html")
    old, new = opened.pixels("#map-old"), opened.pixels("#map-new")
    opened.page.get_by_role("button", name="Play").click()
    # The page itself pauses: a click from outside may come after the end on a machine that is busy.
    name = opened.page.evaluate("""() => new Promise(done => {
      const look = () => {
        if (Number(document.querySelector('#slider').value) <= 0.3) return requestAnimationFrame(look);
        const button = document.querySelector('#slide .play');
        const name = button.getAttribute('aria-label');
        button.click();
        done(name);
      };
      look();
    })""")
    assert name == "Pause"
    opened.settle()
    paused = opened.page.locator("#slider").input_value()
    opened.settle()
    assert opened.page.locator("#slider").input_value() == paused
    assert opened.pixels("#map-new") != new
    assert opened.pixels("#map-old") == old
    opened.page.get_by_role("button", name="Play").click()
    opened.until("Number(document.querySelector('#slider').value) === 1")
    opened.page.get_by_role("button", name="Play").wait_for()
    opened.fine()


def test_hover_says_who_and_where(chromium, cities):
    opened = Opened(chromium, cities / "europe.html")
    page, tooltip = opened.page, opened.page.locator("#tooltip")
    box = page.locator("#map").bounding_box()
    seen = set()
    # Marks are found within 14 pixels: a grid of 19 leaves none out.
    for x in range(60, int(box["width"]) - 60, 19):
        for y in range(20, int(box["height"]) - 60, 19):
            page.mouse.move(box["x"] + x, box["y"] + y)
            if tooltip.is_visible():
                seen.add(tooltip.locator("strong").inner_text())
                assert "axis 1" in tooltip.inner_text()
    assert {"Athens", "Rome", "Gibraltar", "Stockholm"} <= seen
    opened.fine()


def test_sorting_filtering_and_the_link_with_the_map(chromium, cities):
    opened = Opened(chromium, cities / "europe.html")
    page = opened.page
    labels = lambda: page.locator("#table tbody th").all_inner_texts()  # noqa: E731
    assert labels() == ["Athens", "Stockholm", "Vienna"]
    page.get_by_role("button", name="residual").click()
    assert labels()[-1] == "Athens"
    head = page.locator("thead th", has_text="residual")
    assert head.get_attribute("aria-sort") == "descending"
    assert page.locator("#table-title").inner_text() == "Newcomers, sorted by residual"
    page.get_by_role("button", name="residual").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert labels()[0] == "Athens"
    before = opened.pixels("#map-top")
    page.locator("#table tbody tr", has_text="Vienna").click()
    opened.settle()
    assert page.locator("#detail-title").inner_text() == "Vienna"
    assert opened.pixels("#map-top") != before
    page.locator("#filter").fill("stock")
    assert labels() == ["Stockholm"]
    page.locator("#filter").fill("nobody")
    assert page.locator("#table tbody").inner_text() == "No newcomer matches."
    opened.fine()


def test_the_keyboard_is_enough(chromium, cities):
    opened = Opened(chromium, cities / "europe.html")
    page = opened.page
    page.locator("#slider").focus()
    page.keyboard.press("ArrowRight")
    assert float(page.locator("#slider").input_value()) > 0
    page.keyboard.press("End")
    assert page.locator("#slider").input_value() == "1"
    assert "100 %" in page.locator("#slider").get_attribute("aria-valuetext")
    page.locator("#map").focus()
    for key in ("ArrowLeft", "ArrowUp", "+", "-", "0"):
        before = opened.pixels("#map-grid")
        page.keyboard.press(key)
        opened.settle()
        assert opened.pixels("#map-grid") != before, key
    page.keyboard.press("n")
    first = page.locator("#detail-title").inner_text()
    page.keyboard.press("n")
    assert page.locator("#detail-title").inner_text() != first
    page.locator("#table tbody tr[tabindex='0']").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.locator("#detail-title").inner_text() == "Stockholm"
    opened.until("document.querySelector('#live').textContent.includes('Stockholm')")
    opened.fine()


def test_dark_by_preference_and_narrow(chromium, cities):
    ground = "() => getComputedStyle(document.documentElement).backgroundColor"
    opened = Opened(chromium, cities / "europe.html", color_scheme="dark", viewport={"width": 400, "height": 800})
    dark = opened.page.evaluate(ground)
    before = opened.pixels("#map-old")
    opened.page.emulate_media(color_scheme="light")
    opened.settle()
    assert opened.page.evaluate(ground) != dark
    assert opened.pixels("#map-old") != before
    # Nothing hangs over the edge, nor does a button lie on the plot, whose top is 40 pixels below the map's.
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 400
    zoom, whole = (opened.page.locator(part).bounding_box() for part in ("#zoom", "#map"))
    assert zoom["y"] + zoom["height"] <= whole["y"] + 40
    opened.fine()


def test_contrast(chromium, cities):
    """Text against its ground is at least 4.5 to 1 in both modes, as WCAG's AA asks."""
    script = """() => {
      const style = getComputedStyle(document.documentElement);
      const light = (name) => {
        const hex = style.getPropertyValue(name).trim().slice(1);
        const [r, g, b] = [0, 2, 4].map(i => parseInt(hex.slice(i, i + 2), 16) / 255)
          .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
      const pairs = [['--ink', '--surface'], ['--ink', '--ground'], ['--muted', '--surface'], ['--muted', '--ground'],
        ['--muted', '--raised'], ['--warning-ink', '--warning-ground']];
      return pairs.map(([a, b]) => [a, b, ratio(a, b)]);
    }"""
    for scheme in ("light", "dark"):
        opened = Opened(chromium, cities / "europe.html", color_scheme=scheme)
        for a, b, ratio in opened.page.evaluate(script):
            assert ratio >= 4.5, (scheme, a, b, ratio)
        opened.fine()


def test_the_chosen_strategy_and_joint_placements(chromium, cities):
    out, _ = make_report(cities, "europe.adjoin", "cities.tsv", "--jointly")
    run(cities, "add", "europe.adjoin", "cities.tsv", "--jointly", "-o", "together.tsv")
    opened = Opened(chromium, out)
    computed = table(cities / "together.tsv")
    equal(opened.places(), computed, 2, 1e-12)
    said = opened.page.locator(".joint").inner_text()
    # It moves to the joint placement, not to its own reconstruction.
    run(cities, "add", "europe.adjoin", "new.tsv", "--strategy", "project", "-o", "project.tsv")
    alone = table(cities / "project.tsv")["Athens"]
    there = computed["Athens"]
    moved = math.hypot(*(float(there[axis]) - float(alone[axis]) for axis in ("axis1", "axis2")))
    assert f"{moved:.1f}" in opened.page.locator("#table tbody tr", has_text="Athens").inner_text()
    assert "joint placement" in opened.page.locator("#legend").inner_text()
    certified = next(iter(computed.values()))["certified"] == "true"
    assert ("Certified" in said) == certified
    opened.fine()


@pytest.mark.parametrize("strategy", ["stress", "hyperplane", "augment"])
def test_a_strategy_off_the_arcs_is_what_is_shown_named_saved_and_described(chromium, cities, strategy):
    # Athens is not Euclidean: only stress has a place for it.
    code = 0 if strategy == "stress" else 3
    out, _ = make_report(cities, "europe.adjoin", "new.tsv", "--strategy", strategy, code=code)
    run(cities, "place", "europe.adjoin", "new.tsv", "--strategy", strategy, "-o", f"{strategy}.tsv", code=code)
    opened = Opened(chromium, out)
    page = opened.page
    computed = {label: row for label, row in table(cities / f"{strategy}.tsv").items() if row["axis1"]}
    saved = opened.places()
    assert {row["strategy"] for row in saved.values()} == {strategy}
    equal({label: saved[label] for label in computed}, computed, 2, 1e-12)
    name = f"placement by {strategy}"
    assert name in page.locator("#legend").inner_text()
    assert name in page.locator("#slide").inner_text()
    assert strategy in page.locator(".off-arc").inner_text()
    # Nothing is said of reconstruction's multiplier and proof, which are not this strategy's.
    assert f"objective of {strategy}" in page.locator("#detail").text_content()
    assert "λ" not in page.locator("#detail").text_content() + page.locator("#table thead").inner_text()
    moved = float(computed["Vienna"]["displacement"])
    assert f"{moved:.4g}"[:4] in page.locator("#table tbody tr", has_text="Vienna").inner_text()
    # The other end of the slider is the projection, under its own name.
    page.locator("#slide button", has_text="projection").click()
    run(cities, "place", "europe.adjoin", "new.tsv", "-o", "project.tsv")
    saved = opened.places()
    assert {row["strategy"] for row in saved.values()} == {"project"}
    equal(saved, table(cities / "project.tsv"), 2, 1e-12)
    opened.fine()


def write_points(folder, points, labels, n, d):
    """Distances between points: the first n are fitted, the others are newcomers."""
    distance = [[math.dist(a, b) for b in points] for a in points]
    for name, rows in (("old.tsv", range(n)), ("new.tsv", range(n, len(points)))):
        with open(folder / name, "w", newline="") as file:
            writer = csv.writer(file, delimiter="\t", lineterminator="\n")
            writer.writerow(["", *labels[:n]])
            writer.writerows([labels[i], *(repr(v) for v in distance[i][:n])] for i in rows)
    run(folder, "fit", "old.tsv", "-d", d, "-o", "map.adjoin")


def test_any_pair_of_axes(chromium, tmp_path):
    draw = random.Random(4)
    points = [[draw.gauss(0, s) for s in (5, 3, 2, 1)] for _ in range(44)]
    write_points(tmp_path, points, [f"p{i}" for i in range(44)], 40, 4)
    out, _ = make_report(tmp_path, "map.adjoin", "new.tsv")
    opened = Opened(chromium, out)
    page = opened.page
    before = opened.pixels("#map-old")
    page.get_by_label("across", exact=True).select_option(label="axis 3")
    opened.settle()
    assert opened.pixels("#map-old") != before
    page.get_by_label("up", exact=True).select_option(label="axis 3")
    # Taking the other's axis exchanges them.
    assert page.get_by_label("across", exact=True).input_value() == "1"
    run(tmp_path, "add", "map.adjoin", "new.tsv", "--strategy", "reconstruct", "-o", "r.tsv")
    opened.slide(1)
    equal(opened.places(), table(tmp_path / "r.tsv"), 4, 1e-12)
    opened.fine()


def test_a_given_configuration_of_any_origin_and_orientation(chromium, tmp_path):
    draw = random.Random(6)
    points = [[draw.gauss(0, s) for s in (5, 3, 1)] for _ in range(25)]
    write_points(tmp_path, points, [f"p{i}" for i in range(25)], 20, 2)
    with open(tmp_path / "given.tsv", "w") as file:
        file.write("label\taxis1\taxis2\n")
        for i in range(20):
            x, y, _ = points[i]
            file.write(f"p{i}\t{0.8 * x - 0.6 * y + 30}\t{0.6 * x + 0.8 * y - 7}\n")
    run(tmp_path, "fit", "old.tsv", "--configuration", "given.tsv", "-o", "given.adjoin")
    for strategy in ("project", "reconstruct"):
        run(tmp_path, "add", "given.adjoin", "new.tsv", "--strategy", strategy, "-o", f"{strategy}.tsv")
    run(tmp_path, "arc", "given.adjoin", "new.tsv", "--points", "3", "-o", "arcs.tsv")
    out, _ = make_report(tmp_path, "given.adjoin", "new.tsv")
    opened = Opened(chromium, out)
    equal(opened.places(), table(tmp_path / "project.tsv"), 2, 1e-12)
    opened.slide(0.5)
    with open(tmp_path / "arcs.tsv", newline="") as file:
        half = {r["label"]: r for r in csv.DictReader(file, delimiter="\t") if r["position"] == "0.5"}
    assert len(half) == 5
    equal(opened.places(), half, 2, 1e-6)
    opened.slide(1)
    equal(opened.places(), table(tmp_path / "reconstruct.tsv"), 2, 1e-12)
    opened.fine()


def test_places_that_are_not_unique_are_shown(chromium, tmp_path):
    """Example 2 of the paper: the reconstruction is one of a mirrored pair, at the end of a straight segment."""
    old = [[0, 100, 45, 45], [100, 0, 45, 45], [45, 45, 0, 64], [45, 45, 64, 0]]
    names = "abcd"
    lines = ["\t" + "\t".join(names)] + [f"{n}\t" + "\t".join(map(str, r)) for n, r in zip(names, old)]
    (tmp_path / "old.tsv").write_text("\n".join(lines) + "\n")
    (tmp_path / "new.tsv").write_text("\t" + "\t".join(names) + "\nfar\t386\t386\t457\t457\n")
    run(tmp_path, "fit", "old.tsv", "-d", "2", "--kind", "squared", "-o", "map.adjoin")
    out, _ = make_report(tmp_path, "map.adjoin", "new.tsv")
    opened = Opened(chromium, out)
    opened.slide(0.5)
    assert math.isclose(abs(float(opened.places()["far"]["axis2"])), math.sqrt(368) / 2, rel_tol=1e-9)
    opened.slide(1)
    assert math.isclose(abs(float(opened.places()["far"]["axis2"])), math.sqrt(368), rel_tol=1e-12)
    assert "mirror image" in opened.page.locator("#detail").text_content()
    assert "pair" in opened.page.locator("#table tbody").inner_text()
    opened.fine()


HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "<!--<script>alert(3)",
    "\"'><svg/onload=alert(4)>",
    "{{constructor.constructor('alert(5)')()}}",
    "👩‍👩‍👧‍👦 café",
    "אבג דהו (1)",
    "x" * 500,
    "javascript:alert(6)",
]


def test_hostile_labels_are_only_text(chromium, tmp_path):
    draw = random.Random(5)
    labels = HOSTILE[:5] + ["plain", "old </title><script>alert(7)</script>"] + HOSTILE[5:] + ["<b>new</b>"]
    points = [[draw.gauss(0, 2), draw.gauss(0, 1), draw.gauss(0, 1)] for _ in labels]
    write_points(tmp_path, points, labels, 8, 2)
    with open(tmp_path / "metadata.tsv", "w", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(["id", "<script>alert(8)</script>", "n"])
        for i, label in enumerate(labels):
            writer.writerow([label, f"<i>{i % 3}</i>", i * 1.5])
        writer.writerow(["<u>nobody</u>", "x", ""])
    title = "</title><script>alert(9)</script>"
    out, _ = make_report(tmp_path, "map.adjoin", "new.tsv", "--metadata", "metadata.tsv", "--title", title)
    opened = Opened(chromium, out)
    page = opened.page
    assert page.title() == title
    assert page.locator("#title").inner_text() == title
    assert "<u>nobody</u>" in page.locator("#metadata-note").inner_text()
    page.get_by_label("colour", exact=True).select_option(index=1)
    assert "<script>alert(8)</script>:" in page.locator("#legend").inner_text()
    for row in range(page.locator("#table tbody tr[data-at]").count()):
        page.locator("#table tbody tr[data-at]").nth(row).click()
    box = page.locator("#map").bounding_box()
    for x in range(60, int(box["width"]), 38):
        for y in range(20, int(box["height"]), 38):
            page.mouse.move(box["x"] + x, box["y"] + y)
    assert page.locator("script:not([type])").count() == 1
    assert page.locator("main img, main svg:not(#lasso), main i, main b, main u").count() == 0
    longest = max(len(t) for t in page.locator("#table tbody th").all_inner_texts())
    assert longest <= 60
    opened.fine()


def test_what_is_missing_is_said(chromium, tmp_path):
    # One axis; a newcomer with too few proximities; metadata that match nothing.
    write_points(tmp_path, [[float(i), (i % 3) / 9] for i in range(8)], [f"p{i}" for i in range(8)], 6, 1)
    lines = (tmp_path / "new.tsv").read_text().splitlines()
    lines.append("ghost" + "\t" * 6)
    (tmp_path / "new.tsv").write_text("\n".join(lines) + "\n")
    (tmp_path / "metadata.tsv").write_text("id\tgroup\np0\tred\nelsewhere\tblue\n")
    out, said = make_report(tmp_path, "map.adjoin", "new.tsv", "--metadata", "metadata.tsv", code=3)
    assert "ghost" in said
    opened = Opened(chromium, out)
    notes = opened.page.locator("#notes").inner_text()
    for words in ("one axis", "ghost (too few of its proximities are known)"):
        assert words in notes
    # A study's table has more rows than the map: that is said quietly, where the table is.
    said = opened.page.locator("#metadata-note").inner_text()
    assert "1 row of other objects is not used (elsewhere)" in said and "8 objects have no row" in said
    opened.page.locator("#table tbody tr", has_text="ghost").click()
    assert "Not placed" in opened.page.locator("#detail").inner_text()
    assert opened.places()["ghost"]["axis1"] == ""
    opened.fine()


def test_a_map_without_newcomers(chromium, cities):
    out, _ = make_report(cities, "europe.adjoin")
    opened = Opened(chromium, out)
    assert "No newcomers" in opened.page.locator("#notes").inner_text()
    assert opened.page.locator("#newcomers").is_hidden()
    assert opened.page.locator("#slide").is_hidden()
    opened.fine()


def test_similarities_with_and_without_their_own(chromium, tmp_path):
    draw = random.Random(9)
    points = [[draw.gauss(0, 1) for _ in range(3)] for _ in range(12)]
    dot = lambda a, b: sum(x * y for x, y in zip(a, b))  # noqa: E731
    names = [f"p{i}" for i in range(12)]
    for name, rows in (("old.tsv", range(10)), ("new.tsv", range(10, 12))):
        with open(tmp_path / name, "w") as file:
            file.write("\t" + "\t".join(names[:10]) + "\n")
            for i in rows:
                file.write("\t".join([names[i], *(repr(dot(points[i], points[j])) for j in range(10))]) + "\n")
    run(tmp_path, "fit", "old.tsv", "-d", "2", "--kind", "similarity", "-o", "map.adjoin")
    out, _ = make_report(tmp_path, "map.adjoin", "new.tsv")
    opened = Opened(chromium, out)
    assert "similarities to themselves are not known" in opened.page.locator("#slide").inner_text()
    assert "inner products" in opened.page.locator("#shepard-note").inner_text()
    opened.fine()
    (tmp_path / "self.tsv").write_text("".join(f"p{i}\t{dot(points[i], points[i])!r}\n" for i in (10, 11)))
    out, _ = make_report(tmp_path, "map.adjoin", "new.tsv", "--self", "self.tsv", "--strategy", "reconstruct")
    run(tmp_path, "add", "map.adjoin", "new.tsv", "--self", "self.tsv", "--strategy", "reconstruct", "-o", "r.tsv")
    opened = Opened(chromium, out)
    equal(opened.places(), table(tmp_path / "r.tsv"), 2, 1e-12)
    opened.fine()


def test_what_was_done_can_be_copied(chromium, cities):
    opened = Opened(chromium, cities / "europe.html", permissions=["clipboard-read", "clipboard-write"])
    page = opened.page
    page.get_by_role("button", name="Copy what was done").click()
    page.get_by_text("Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    for words in ("Trosset", "classical scaling", "sha256", "adjoin 0.", "by projection"):
        assert words in copied
    # It is said of what the page shows, not of what was asked for.
    opened.slide(1)
    opened.until("document.querySelector('#methods-paragraph').textContent.includes('by restricted reconstruction')")
    opened.slide(0.4)
    opened.until("document.querySelector('#methods-paragraph').textContent.includes('at 40 % of the way')")
    opened.fine()


def test_printing(chromium, cities):
    opened = Opened(chromium, cities / "europe.html", color_scheme="dark")
    # On paper it is light whatever the screen is, and all layers are one picture.
    newcomer = """() => {
      const c = document.querySelector('#map-grid');
      const copy = new OffscreenCanvas(c.width, c.height).getContext('2d', { willReadFrequently: true });
      copy.drawImage(c, 0, 0);
      const d = copy.getImageData(0, 0, c.width, c.height).data;
      let found = 0;
      for (let i = 0; i < d.length; i += 4) found += d[i] === 0xd1 && d[i + 1] === 0x50 && d[i + 2] === 0x0a;
      return found;
    }"""
    assert opened.page.evaluate(newcomer) == 0
    opened.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert opened.page.evaluate(newcomer) > 50
    opened.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert opened.page.evaluate(newcomer) == 0
    pdf = opened.page.pdf()
    assert pdf.startswith(b"%PDF") and len(pdf) > 20_000
    opened.fine()


FRAMES = """async (count) => {
  const slider = document.querySelector('#slider');
  const frame = () => new Promise(requestAnimationFrame);
  const times = [];
  let before = await frame();
  for (let i = 0; i < count; i++) {
    slider.value = String((i + 1) / count);
    slider.dispatchEvent(new Event('input'));
    const now = await frame();
    times.push(now - before);
    before = now;
  }
  return times;
}"""


@pytest.mark.skipif(LARGE is None, reason="no large page was made: see ./check")
def test_frames_of_a_large_map(chromium, capsys):
    """100,000 old objects and 3,000 newcomers: measured and told, not judged by the clock."""
    size = os.path.getsize(LARGE)
    assert size < 20e6
    opened = Opened(chromium, LARGE)
    page = opened.page
    loading = page.evaluate("performance.timing.loadEventEnd - performance.timing.navigationStart")
    before = opened.pixels("#map-old")
    times = sorted(page.evaluate(FRAMES, 60))
    # The old objects' picture is not drawn for a slider move.
    assert opened.pixels("#map-old") == before
    page.locator("#filter").fill("new99")
    assert "of 3,000 newcomers" in page.locator("#table-note").inner_text()
    box = page.locator("#map").bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + 200)
    page.mouse.wheel(0, -400)
    opened.until("location.hash.includes('sight=')")
    assert opened.pixels("#map-old") != before
    told = {
        "file, MB": round(size / 1e6, 1),
        "loaded after, ms": loading,
        "ms from one frame to the next with the slider moved in each: median": round(times[30], 1),
        "of ten the ninth": round(times[54], 1),
        "worst of 60": round(times[-1], 1),
    }
    with capsys.disabled():
        print(f"\n100,000 + 3,000 points: {json.dumps(told)}")
    opened.fine()
