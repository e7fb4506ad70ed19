"""The R package keeps to what is said of it elsewhere: the root's profiles, its versions, its list of functions."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def manifest(path):
    return tomllib.loads((ROOT / path).read_text())


def test_profiles_are_those_of_the_root():
    """So that crates which both workspaces use are compiled alike."""
    root, own = manifest("Cargo.toml")["profile"], manifest("r/src/rust/Cargo.toml")["profile"]
    assert own.keys() == root.keys()
    for name, profile in own.items():
        packages, theirs = profile.pop("package"), root[name].pop("package")
        assert profile == root[name]
        foreign = {key: value for key, value in packages.items() if not key.startswith("adjoin")}
        assert foreign.items() <= theirs.items()


def test_libraries_are_those_of_the_root():
    """So that they are compiled once: what both lock files name is of the same version."""
    root, own = [
        {(package["name"], package["version"]) for package in manifest(path)["package"] if "source" in package}
        for path in ("Cargo.lock", "r/src/rust/Cargo.lock")
    ]
    names = {name for name, _ in root}
    differing = sorted(package for package in own - root if package[0] in names)
    assert not differing, f"{differing}: run cargo update -p NAME --precise VERSION in r/src/rust"


def test_versions_are_one():
    version = manifest("Cargo.toml")["workspace"]["package"]["version"]
    assert manifest("r/src/rust/Cargo.toml")["package"]["version"] == version
    description = (ROOT / "r/DESCRIPTION").read_text()
    assert re.search(r"^Version: (.*)$", description, re.M)[1] == version


def test_every_function_has_a_help_page():
    exported = re.findall(r"^export\((.*)\)$", (ROOT / "r/NAMESPACE").read_text(), re.M)
    pages = "\n".join(page.read_text() for page in (ROOT / "r/man").glob("*.Rd"))
    assert exported
    assert all(f"\\alias{{{name}}}" in pages for name in exported)
