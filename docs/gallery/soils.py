"""Writes the table of the gallery: fifty-six soil samples that are made up, with all that people know of theirs.

python docs/gallery/soils.py FOLDER    Only the standard library is needed, and the numbers are always the same.
"""

import csv
import math
import pathlib
import random
import sys

HABITATS = {"heath": (4.2, 12, 2), "marsh": (6.1, 70, 0), "meadow": (6.8, 35, -2)}


def main(folder):
    draw = random.Random(1888)
    species = [(draw.uniform(3.5, 8), draw.uniform(0, 90), draw.uniform(0.4, 1.2)) for _ in range(60)]
    names, rows, counts = [], [], []
    for i in range(56):
        habitat = list(HABITATS)[i % 3]
        acid, wet, _ = HABITATS[habitat]
        # The last eight arrive later; one of them is from a bog that the map has never seen.
        if i == 55:
            habitat, acid, wet = "bog", 3.4, 95
        ph, moisture = draw.gauss(acid, 0.35), min(99, max(2, draw.gauss(wet, 9)))
        names.append(f"plot {i + 1}")
        depth = "not collected" if i % 9 == 4 else f"{draw.gammavariate(2, 8):.1f}"
        day = [-14, -7, 1, 8, 15][i % 5]
        rows.append([names[-1], habitat, day, depth, f"{ph:.2f}", f"{moisture:.1f}", f"{math.sin(41 * i * i):.3f}"])
        niche = [math.exp(-(((ph - p) / w) ** 2) - ((moisture - m) / (30 * w)) ** 2) for p, m, w in species]
        counts.append([int(draw.gammavariate(4, 10) * x) for x in niche])
    folder.mkdir(parents=True, exist_ok=True)

    def bray(a, b):
        return sum(abs(x - y) for x, y in zip(a, b)) / max(1, sum(a) + sum(b))

    def write(name, head, lines):
        with open(folder / name, "w", newline="") as file:
            writer = csv.writer(file, delimiter="\t", lineterminator="\n")
            writer.writerow(head)
            writer.writerows(lines)

    n = 48
    square = [[names[i], *(f"{bray(counts[i], counts[j]):.6f}" for j in range(n))] for i in range(56)]
    write("old.tsv", ["", *names[:n]], square[:n])
    write("new.tsv", ["", *names[:n]], square[n:])
    write("samples.tsv", ["sample", "habitat", "day", "depth"], [row[:4] for row in rows])
    write("soil.tsv", ["sample", "pH", "moisture", "noise"], [[row[0], *row[4:]] for row in rows])


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
