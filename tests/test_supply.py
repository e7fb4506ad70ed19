"""What adjoin is built from keeps to deny.toml: licences, no unlisted duplicates, one registry, everything locked."""

import json
import pathlib
import re
import subprocess
import sys
import tomllib

import pytest

ROOT = pathlib.Path(__file__).parents[1]
DENY = tomllib.loads((ROOT / "deny.toml").read_text())
sys.path.insert(0, str(ROOT / "bench/trust"))


@pytest.fixture(scope="module")
def packages():
    import dependencies

    return [package for package in dependencies.used(dependencies.metadata()) if package["source"]]


def allowed(expression, licences):
    """Whether an SPDX expression can be met: every AND, some OR."""
    text = expression.strip()
    if text.startswith("(") and text.endswith(")") and text.count("(") == 1:
        text = text[1:-1]
    outer = re.split(r"\s+AND\s+(?![^(]*\))", text)
    if len(outer) > 1:
        return all(allowed(part, licences) for part in outer)
    return any(part.strip() in licences for part in re.split(r"\s+OR\s+|/", text))


def test_expressions_are_understood():
    assert allowed("MIT OR GPL-3.0", {"MIT"})
    assert not allowed("MIT AND GPL-3.0", {"MIT"})
    assert allowed("(MIT OR Apache-2.0) AND Unicode-3.0", {"Apache-2.0", "Unicode-3.0"})
    assert not allowed("(MIT OR Apache-2.0) AND Unicode-3.0", {"Apache-2.0"})
    assert not allowed("LGPL-2.1/GPL-2.0", {"MIT"})


def test_licences(packages):
    assert len(packages) > 100
    licences = set(DENY["licenses"]["allow"])
    wrong = [(p["name"], p["license"]) for p in packages if not (p["license"] and allowed(p["license"], licences))]
    assert wrong == []


def test_one_registry(packages):
    assert {p["source"] for p in packages} == {"registry+https://github.com/rust-lang/crates.io-index"}


def test_no_library_is_there_twice_without_a_reason(packages):
    versions = {}
    for package in packages:
        versions.setdefault(package["name"], set()).add(package["version"])
    known = {skip["crate"] for skip in DENY["bans"]["skip"]}
    twice = {name for name, all_of in versions.items() if len(all_of) > 1}
    assert twice - known == set(), "say why in deny.toml, or take one of them away"


def test_unsafe_code_says_why_it_is_safe():
    """Every `unsafe` of ours has a SAFETY line right before it."""
    count = 0
    for file in sorted(ROOT.glob("*/src/**/*.rs")) + sorted(ROOT.glob("*/*/src/**/*.rs")):
        if "target" in file.parts:
            continue
        lines = file.read_text().splitlines()
        for number, line in enumerate(lines):
            code = line.split("//")[0]
            # The body of an unsafe function is its own matter; a block in it is not.
            if not re.search(r"\bunsafe\b\s*(\{|impl\b)", code):
                continue
            count += 1
            before = "\n".join(lines[max(0, number - 6) : number])
            assert "SAFETY:" in before, f"{file.relative_to(ROOT)}:{number + 1}"
    assert count > 0


def normal(name):
    """A name as pip compares it."""
    return re.sub(r"[-_.]+", "-", name.strip().lower())


def test_what_is_installed_is_locked():
    lock = json.loads((ROOT / "page/web/package-lock.json").read_text())
    assert all(entry.get("integrity") for name, entry in lock["packages"].items() if name)
    pinned = {normal(line.split("==")[0]) for line in (ROOT / "tests/locked.txt").read_text().splitlines() if "==" in line}
    for requirements in ("tests/requirements.txt", "python/tests/requirements.txt", "page/tests/requirements.txt"):
        lines = (ROOT / requirements).read_text().splitlines()
        wanted = {normal(re.split(r"[\[=<>~! ;#]", line)[0]) for line in lines} - {""}
        assert wanted and wanted <= pinned, f"{requirements}: run tests/lock"
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    if tracked:
        assert "Cargo.lock" in tracked and "tests/locked.txt" in tracked and "page/web/package-lock.json" in tracked


ADVISORY = """```toml
[advisory]
id = "RUSTSEC-2020-0001"
package = "{crate}"
date = "2020-01-01"

[versions]
patched = [">= 1.2.3", ">= 1.0.9, < 1.1.0"]
unaffected = ["^0.3", "< 0.1.0-beta.2"]
```

# It does harm
"""


@pytest.mark.parametrize(
    "version, harmed",
    [("1.2.2", True), ("1.2.3", False), ("1.2.3-alpha", True), ("1.0.9", False), ("1.1.0", True), ("0.3.7", False), ("0.4.0", True), ("0.1.0-beta.1", False), ("0.1.0", True)],
)
def test_advisories_are_compared_with_what_is_locked(tmp_path, version, harmed):
    database, lock = tmp_path / "database", tmp_path / "Cargo.lock"
    for crate in ("faulty", "absent"):
        (database / "crates" / crate).mkdir(parents=True)
        (database / "crates" / crate / "RUSTSEC-2020-0001.md").write_text(ADVISORY.format(crate=crate))
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "all"]):
        subprocess.run(["git", "-C", database, *words], check=True)
    lock.write_text(f'[[package]]\nname = "faulty"\nversion = "{version}"\n')
    run = subprocess.run([sys.executable, ROOT / "bench/trust/advisories.py", database, lock], capture_output=True, text=True)
    assert run.returncode == harmed, run.stdout + run.stderr
    assert f"1 advisories about 1 locked crates, {int(harmed)} that concern us" in run.stdout
