"""Makes the tables of docs/living.md: invertebrates of a river, counted in kick samples. Nothing but the standard library.

Sixty samples make the ordination that was published: riffles and pools along a gradient from the hills to the plain. A year of
monitoring follows, twelve samples a quarter. Until September the river is as it was; then, below the new outfall, worms and
midges take over and a snail arrives that nobody had counted before.
"""

import csv
import random
from math import exp
from pathlib import Path

FOLDER = Path(__file__).parent

# Where on the gradient a taxon is most frequent (0 hills, 1 plain), how wide it ranges, how many there are, and how much it
# prefers riffles (1) to pools (-1).
TAXA = {
    "Baetis": (0.30, 0.35, 60, 0.6),
    "Rhithrogena": (0.10, 0.20, 45, 0.9),
    "Leuctra": (0.15, 0.25, 35, 0.5),
    "Perla": (0.05, 0.18, 18, 0.8),
    "Hydropsyche": (0.55, 0.30, 50, 0.7),
    "Rhyacophila": (0.25, 0.25, 20, 0.6),
    "Gammarus": (0.60, 0.35, 70, -0.1),
    "Ephemera": (0.65, 0.25, 25, -0.7),
    "Elmis": (0.40, 0.30, 30, 0.4),
    "Chironomus": (0.80, 0.30, 20, -0.8),
    "Tubifex": (0.95, 0.25, 15, -0.9),
    "Asellus": (0.85, 0.22, 30, -0.5),
    "Sphaerium": (0.80, 0.25, 22, -0.6),
    "Physella": (0.95, 0.15, 0, -0.3),
}


def poisson(rng, mean):
    """A Poisson number, by waiting."""
    count, waited = -1, 0.0
    while waited < mean:
        waited += rng.expovariate(1.0)
        count += 1
    return max(count, 0)


def sample(rng, where, riffle, polluted=0.0):
    """Counts of one sample at a place on the gradient."""
    counts = []
    for name, (centre, width, most, liking) in TAXA.items():
        mean = most * exp(-0.5 * ((where - centre) / width) ** 2) * (1 + liking * (0.5 if riffle else -0.5))
        if polluted:
            worms = {"Chironomus": 90, "Tubifex": 160, "Asellus": 50, "Physella": 60}
            mean = mean * (1 - polluted) + polluted * worms.get(name, 0.05 * mean)
        # Patches differ more than chance.
        counts.append(poisson(rng, mean * rng.gammavariate(4, 0.25)))
    return counts


def write(name, rows):
    with open(FOLDER / name, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["sample", *TAXA])
        table.writerows(rows)


def main():
    rng = random.Random(2024)
    published = [
        [f"P{i + 1:02}", *sample(rng, (i % 20 + rng.random()) / 20, i % 2 == 0)] for i in range(60)
    ]
    write("published.csv", published)
    for quarter in range(1, 5):
        rows = []
        for i in range(12):
            where, riffle = (i + rng.random()) / 12, i % 2 == 0
            # The outfall is at 0.4 of the way, and spills from October on.
            polluted = 0.85 if quarter == 4 and where > 0.4 else 0.0
            rows.append([f"Q{quarter}-{i + 1:02}", *sample(rng, where, riffle, polluted)])
        write(f"q{quarter}.csv", rows)


if __name__ == "__main__":
    main()
