"""Payloads of every known kind as labels, classes, names of columns, title and address: they are shown, and nothing runs."""

import csv
import json
import random
import re
import urllib.parse
import xml.etree.ElementTree as ElementTree

import pytest
from browser import browser, chromium_path
from test_page import Opened, make_report, write_points

pytestmark = pytest.mark.skipif(chromium_path() is None, reason="there is no Chromium here")

# HIT marks the page if it runs. Classes: elements, attributes, the ends of contexts, templates, addresses, style sheets,
# encodings, parsers that mend, prototypes, terminals and spreadsheets.
HIT = "window.hit=1"
PAYLOADS = [
    f"<script>{HIT}</script>",
    f"</script><script>{HIT}</script>",
    f"</SCRIPT ><ScRiPt >{HIT}</ScRiPt >",
    f"<scr<script>ipt>{HIT}</scr</script>ipt>",
    f"<!--><script>{HIT}</script>-->",
    f"--!><script>{HIT}</script>",
    f"<![CDATA[<script>{HIT}</script>]]>",
    f"<img src=x onerror={HIT}>",
    f"<img src=x onerror={HIT}//",
    f"<img/src/onerror={HIT}>",
    f"<svg onload={HIT}>",
    f"<svg><script>{HIT}</script></svg>",
    f"<svg><animate onbegin={HIT} attributeName=x dur=1s>",
    f"<math><mtext><table><mglyph><style><img src onerror={HIT}>",
    f"<body onload={HIT}>",
    f"<details open ontoggle={HIT}>",
    f"<iframe srcdoc='<script>parent.{HIT}</script>'>",
    f"<iframe src=javascript:parent.{HIT}>",
    f"<object data=javascript:{HIT}>",
    f"<embed src=javascript:{HIT}>",
    f"<a href=javascript:{HIT} autofocus onfocus={HIT}>x</a>",
    f"<input autofocus onfocus={HIT}>",
    f"<video><source onerror={HIT}></video>",
    f"<marquee onstart={HIT}>",
    f"<style>@import 'http://127.0.0.1:9/x';*{{background:url(http://127.0.0.1:9/y)}}</style>",
    "<link rel=stylesheet href=http://127.0.0.1:9/z>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/w'>",
    "<base href=http://127.0.0.1:9/>",
    f"<form action=javascript:{HIT}><button>x",
    f"\"onmouseover={HIT} x=\"",
    f"'onmouseover={HIT} x='",
    f"`onmouseover={HIT} x=`",
    f"\"><script>{HIT}</script>",
    f"'}};{HIT};//",
    f"\";{HIT};//",
    f"\\\";{HIT};//",
    f"\\u003cscript\\u003e{HIT}\\u003c/script\\u003e",
    f"&lt;script&gt;{HIT}&lt;/script&gt;",
    f"&#60;script&#62;{HIT}&#60;/script&#62;",
    f"%3Cscript%3E{HIT}%3C/script%3E",
    f"+ADw-script+AD4-{HIT}+ADw-/script+AD4-",
    f"＜script＞{HIT}＜/script＞",
    f"${{{HIT}}}",
    f"{{{{constructor.constructor('{HIT}')()}}}}",
    f"<%= {HIT} %>",
    f"#{{{HIT}}}",
    f"javascript:{HIT}",
    f"data:text/html,<script>{HIT}</script>",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "\u2028\u2029line",
    "\u202eright to left\u202c",
    "\ufeffmark",
    "\u001b[31mred",
    "=HYPERLINK(\"http://127.0.0.1:9\")",
    "{b|bold}",
    "%s%n%x",
    "𝕊" * 40,
    "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G",
]


@pytest.fixture(scope="module")
def chromium():
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """Every payload is a label; classes and columns are payloads too."""
    folder = tmp_path_factory.mktemp("hostile")
    draw = random.Random(8)
    labels = [*PAYLOADS, *(f"{text} new" for text in PAYLOADS[:20])]
    points = [[draw.gauss(0, s) for s in (3, 2, 1)] for _ in labels]
    write_points(folder, points, labels, len(PAYLOADS), 3)
    with open(folder / "metadata.tsv", "w", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(["id", PAYLOADS[0], PAYLOADS[7], "__proto__", "number"])
        for i, label in enumerate(labels):
            writer.writerow([label, PAYLOADS[i % 7], PAYLOADS[7 + i % 30], PAYLOADS[48 + i % 4], i])
    arguments = ["map.adjoin", "new.tsv", "--metadata", "metadata.tsv", "--title", PAYLOADS[1], "--strategy", "stress"]
    return make_report(folder, *arguments)[0]


def harmless(opened):
    assert opened.page.evaluate("window.hit") is None
    assert opened.page.locator("script:not([type])").count() == 1
    strange = "main img, main iframe, main object, main embed, main style, main link, main marquee, main math, main video, base, meta[http-equiv=refresh]"
    assert opened.page.locator(strange).count() == 0
    opened.fine()


def test_payloads_are_shown_and_do_nothing(chromium, page_file):
    opened = Opened(chromium, page_file)
    page = opened.page
    assert page.title() == PAYLOADS[1]
    rows = page.locator("#table tbody tr[data-at]")
    for row in range(0, rows.count(), 3):
        rows.nth(row).click()
    for column in (1, 2, 3):
        page.get_by_label("colour", exact=True).select_option(index=column)
        page.get_by_label("shape", exact=True).select_option(index=column)
        opened.settle()
    box = page.locator("#map").bounding_box()
    for x in range(60, int(box["width"]), 61):
        for y in range(20, int(box["height"]), 61):
            page.mouse.move(box["x"] + x, box["y"] + y)
    harmless(opened)


@pytest.mark.parametrize("view", ["map", "pairs", "solid", "beside"])
def test_addresses_do_nothing(chromium, page_file, view):
    """A link restores the view; one that somebody else made restores nothing else."""
    draw = random.Random(view)
    keys = ["axes", "flip", "view", "beside", "colour", "shape", "size", "ramp", "numbers", "labels", "groups", "variables",
            "hide", "hidden-colours", "hidden-shapes", "filter", "at", "chosen", "sight"]
    values = [*PAYLOADS, "NaN", "-1", "1e999", "Infinity", "1,1", "99,98", ",,,", "1e308,1e308,-1e308,-1e308", "0,0,0,0", "NaN,1,2,3"]
    for _ in range(4):
        words = {key: draw.choice(values) for key in draw.sample(keys, 8)} | {"view": view}
        opened = Opened(chromium, page_file, fragment=urllib.parse.urlencode(words))
        harmless(opened)


def test_the_data_are_what_was_put_in(page_file):
    html = page_file.read_text(encoding="utf-8")
    inside = re.search(r'<script type="application/json" id="words">(.*?)</script>', html, re.S)[1]
    assert "<" not in inside
    assert json.loads(inside)["labels"] == PAYLOADS


def test_still_pictures_are_well_formed(page_file):
    from test_page import run

    folder = page_file.parent
    run(folder, "plot", "map.adjoin", "new.tsv", "--metadata", "metadata.tsv", "--colour-by", PAYLOADS[0], "-o", "out.svg")
    root = ElementTree.parse(folder / "out.svg").getroot()
    names = {element.tag.split("}")[-1].lower() for element in root.iter()}
    assert not names & {"script", "foreignobject", "iframe", "image", "animate", "set"}
    for element in root.iter():
        for name, value in element.attrib.items():
            assert not name.lower().startswith("on"), name
            assert "javascript:" not in value and "127.0.0.1" not in value
