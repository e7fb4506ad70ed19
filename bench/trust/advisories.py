"""Which advisories there are about the crates that are locked, by a copy of the RustSec database.

    python bench/trust/advisories.py DATABASE [Cargo.lock …]

DATABASE is a clone of the advisory database (a bare one will do). `cargo deny check advisories` fetches one and does more; this is for
machines that cannot fetch, or do not have it. Advisories that `deny.toml` lists with a reason are said with it; any other ends with 1.
"""

import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOCKS = [ROOT / "Cargo.lock", ROOT / "r/src/rust/Cargo.lock"]


def git(database, *arguments):
    return subprocess.check_output(["git", "-C", database, *arguments], text=True)


def version(text):
    """As something that sorts: numbers, then releases after what was before them."""
    numbers, _, before = text.split("+")[0].partition("-")
    numbers = [int(n) for n in numbers.split(".")]
    return (*numbers, *[0] * (3 - len(numbers)), before == "", before)


def satisfies(found, requirement):
    """Whether a version is in a range as Cargo writes them: comparisons with commas between them."""

    def one(comparison):
        sign, text = re.fullmatch(r"\s*(>=|<=|>|<|=|\^|~)?\s*(\S+)\s*", comparison).groups()
        if text == "*":
            return True
        bound, parts = version(text), text.split(".")
        if sign in (None, "^"):
            kept = next((i for i, n in enumerate(bound[:3]) if n), len(parts) - 1) + 1
            return found >= bound and found[:kept] == bound[:kept]
        if sign == "~":
            return found >= bound and found[: min(2, len(parts))] == bound[: min(2, len(parts))]
        return {">=": found >= bound, "<=": found <= bound, ">": found > bound, "<": found < bound, "=": found == bound}[sign]

    return all(one(comparison) for comparison in requirement.split(","))


def advisories(database):
    """Every advisory about a crate, by its name."""
    for file in git(database, "ls-tree", "-r", "--name-only", "HEAD", "crates/").splitlines():
        if file.endswith(".md"):
            yield file.split("/")[1], file


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    database, locks = sys.argv[1], [pathlib.Path(f) for f in sys.argv[2:]] or LOCKS
    locked = {}
    for lock in locks:
        for package in tomllib.loads(lock.read_text())["package"]:
            locked.setdefault(package["name"], set()).add(package["version"])
    reasons = {i["id"]: i["reason"] for i in tomllib.loads((ROOT / "deny.toml").read_text())["advisories"]["ignore"]}
    direct = set(re.findall(r"^([\w-]+)(?:\.workspace)?\s*=", "".join(f.read_text() for f in ROOT.glob("*/Cargo.toml")), re.M))
    looked = concerned = 0
    for name, file in advisories(database):
        if name not in locked:
            continue
        looked += 1
        told = tomllib.loads(git(database, "show", f"HEAD:{file}").split("```toml")[1].split("```")[0])
        about, ranges = told["advisory"], told["versions"]
        sound = ranges.get("patched", []) + ranges.get("unaffected", [])
        for found in sorted(locked[name]):
            if about.get("withdrawn") or any(satisfies(version(found), r) for r in sound):
                continue
            kind = about.get("informational", "vulnerability")
            # As deny.toml has it: what nobody maintains any more is the matter of whoever asked for it.
            reason = reasons.get(about["id"]) or ("asked for by others" if kind == "unmaintained" and name not in direct else None)
            concerned += reason is None
            print(f"{about['id']} {name} {found}: {kind}; {reason or 'NOT LISTED in deny.toml'}")
    print(f"{looked} advisories about {len(locked)} locked crates, {concerned} that concern us; database of {git(database, 'log', '-1', '--format=%cs %h').strip()}")
    sys.exit(concerned > 0)


if __name__ == "__main__":
    main()
