"""CONTRIBUTING's map of the code names every module of every crate."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAP = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("```")[1]


@pytest.mark.parametrize("crate", ["core", "formats", "look", "picture", "page", "cli", "python"])
def test_every_module_is_named(crate):
    def word(path):
        return path.parent.name if path.stem in ("mod", "lib", "main") else path.stem

    named = set(re.findall(r"\w+", MAP))
    modules = [p for p in (ROOT / crate / "src").rglob("*.rs") if p.stem != "tests"]
    assert len(modules) > 3
    assert [str(p.relative_to(ROOT)) for p in modules if word(p) not in named] == []
