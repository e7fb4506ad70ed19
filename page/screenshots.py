"""Takes pictures of pages: python page/screenshots.py PAGE.html OUT.png [--width 1280] [--dark] [--whole] [--slide 0.5]

Needs Playwright (from PyPI) and Chromium. The README's picture is made by

    adjoin demo -o adjoin-demo
    python page/screenshots.py adjoin-demo/europe.html docs/images/report.png --slide 0.6 --height 1010
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "tests"))
from browser import browser  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=860)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--whole", action="store_true", help="the whole page, not only what is first in sight")
    parser.add_argument("--slide", type=float, default=None)
    parser.add_argument("--colour", default=None)
    parser.add_argument("--shape", default=None)
    parser.add_argument("--hover", default=None, help="pixels in the map, X,Y")
    args = parser.parse_args()
    with browser() as chromium:
        context = chromium.new_context(
            viewport={"width": args.width, "height": args.height},
            color_scheme="dark" if args.dark else "light",
        )
        page = context.new_page()
        page.goto(args.page.resolve().as_uri())
        for name, value in (("colour", args.colour), ("shape", args.shape)):
            if value is not None:
                page.get_by_label(name, exact=True).select_option(label=value)
        if args.slide is not None:
            page.locator("#slider").evaluate(
                "(s, v) => { s.value = v; s.dispatchEvent(new Event('input')) }", str(args.slide)
            )
        page.wait_for_timeout(600)
        if args.hover is not None:
            x, y = map(float, args.hover.split(","))
            box = page.locator("#map").bounding_box()
            page.mouse.move(box["x"] + x, box["y"] + y)
            page.wait_for_timeout(200)
        page.screenshot(path=args.out, full_page=args.whole)


if __name__ == "__main__":
    main()
