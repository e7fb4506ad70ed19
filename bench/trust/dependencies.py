"""What adjoin is built from: every crate in the program, its licence, its size and its `unsafe`.

    python bench/trust/dependencies.py [--all]

Counts what `cargo metadata` resolves for this machine, without development dependencies: lines of Rust, blocks and
functions that are `unsafe` (by their keyword, outside comments and strings as far as one line shows), and lines of C.
The ten largest are printed, or all of them with --all; then adjoin's own `unsafe`, by file.
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNSAFE = re.compile(r"\bunsafe\b(?=\s*(\{|fn\b|impl\b|extern\b|trait\b))")


def metadata():
    host = re.search(r"^host: (.*)$", subprocess.check_output(["rustc", "-vV"], text=True), re.M)[1]
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", host]
    return json.loads(subprocess.check_output(command, cwd=ROOT))


def used(data, root="adjoin-cli"):
    """The packages that the program is linked from, those of build scripts among them."""
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    packages = {package["id"]: package for package in data["packages"]}
    start = next(i for i, package in packages.items() if package["name"] == root)
    seen, queue = {start}, [start]
    while queue:
        for dependency in nodes[queue.pop()]["deps"]:
            kinds = {kind["kind"] for kind in dependency["dep_kinds"]}
            if kinds != {"dev"} and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                queue.append(dependency["pkg"])
    return [packages[i] for i in seen]


def measure(package):
    folder = pathlib.Path(package["manifest_path"]).parent
    rust = unsafe = foreign = 0
    for file in folder.rglob("*"):
        inside = file.relative_to(folder).parts
        if inside[0] in ("tests", "benches", "examples", "target", "fuzz") or not file.is_file():
            continue
        if file.suffix == ".rs":
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
            rust += len(lines)
            unsafe += sum(len(UNSAFE.findall(line.split("//")[0])) for line in lines)
        elif file.suffix in (".c", ".h", ".S", ".cc", ".cpp"):
            foreign += file.read_bytes().count(b"\n")
    return rust, unsafe, foreign


def own():
    """adjoin's own files with `unsafe` in them, those of tests and of the fuzz targets left out."""
    files = [f for f in sorted(ROOT.glob("*/src/**/*.rs")) + sorted(ROOT.glob("r/src/rust/src/**/*.rs")) if f.relative_to(ROOT).parts[0] != "fuzz"]
    counts = {f: sum(len(UNSAFE.findall(line.split("//")[0])) for line in f.read_text().splitlines()) for f in files}
    return {str(f.relative_to(ROOT)): count for f, count in counts.items() if count}


def main():
    packages = [p for p in used(metadata()) if p["source"]]
    rows = sorted(((p["name"], p["version"], p["license"] or "?", *measure(p)) for p in packages), key=lambda r: -(r[3] + r[5]))
    total = [sum(row[i] for row in rows) for i in (3, 4, 5)]
    print(f"{len(rows)} crates, {total[0]:,} lines of Rust, {total[1]:,} × unsafe, {total[2]:,} lines of C")
    print("| crate | version | licence | lines of Rust | unsafe | lines of C |\n| --- | --- | --- | --- | --- | --- |")
    for name, version, licence, rust, unsafe, foreign in rows if "--all" in sys.argv else rows[:10]:
        print(f"| {name} | {version} | {licence} | {rust:,} | {unsafe:,} | {foreign:,} |")
    ours = own()
    print(f"adjoin itself: {sum(ours.values())} × unsafe in {len(ours)} files:", ", ".join(f"{file} {count}" for file, count in ours.items()))


if __name__ == "__main__":
    main()
