"""A browser to test pages in: Debian's Chromium, driven by Playwright."""

import contextlib
import shutil
import tempfile

from playwright.sync_api import sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium_path():
    """The installed Chromium, or None."""
    return next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)


@contextlib.contextmanager
def browser():
    """Starts Chromium with a profile of its own and ends it afterwards."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        started = playwright.chromium.launch(
            executable_path=chromium_path(), headless=True, args=FLAGS, downloads_path=folder
        )
        try:
            yield started
        finally:
            started.close()
