"""Handwritten digits: an Isomap of some of them, and the others added to it.

Run as a script, or cell by cell in a notebook. Needs matplotlib.
"""

# %% Pictures of 8 × 8 pixels. Two thirds make the map, the others arrive later.
import sys

import numpy as np
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

import adjoin

X, y = load_digits(return_X_y=True)
old, new = slice(0, 1200), slice(1200, None)

# %% The map of geodesics through nearest neighbours.
model = adjoin.Isomap(n_neighbors=10, n_components=2, disconnected="refuse").fit(X[old])
print(f"{len(model.embedding_)} digits; two axes show {model.explained_variance_ratio_.sum():.0%} of the positive eigenvalues")

# %% The others, attached through their own neighbours: projected, and reconstructed.
projected = model.place(X[new])
reconstructed = model.place(X[new], strategy="reconstruct")
print(reconstructed)
assert (reconstructed.margin >= 0).all()
assert np.array_equal(projected.coordinates, model.transform(X[new]))

# %% Do they land among their own kind? What the five nearest old digits on the map say.
vote = KNeighborsClassifier(5).fit(model.embedding_, y[old])
for placed in (projected, reconstructed):
    print(f"{placed.strategy}: {vote.score(placed.coordinates, y[new]):.0%} of the newcomers are among their own")
more = adjoin.Isomap(n_neighbors=10, n_components=10).fit(X[old])
score = KNeighborsClassifier(5).fit(more.embedding_, y[old]).score(more.transform(X[new]), y[new])
print(f"on ten axes: {score:.0%}")
assert score > 0.9

# %% The same with landmarks: geodesics from 200 digits only.
few = adjoin.Isomap(n_neighbors=10, n_components=10, n_landmarks=200).fit(X[old])
score = KNeighborsClassifier(5).fit(few.embedding_, y[old]).score(few.transform(X[new]), y[new])
print(f"with 200 landmarks: {score:.0%}")

# %% Who is least like the old digits: as strange to the map as hardly any of them is when it is left out.
order = np.argsort(projected.p)[:5]
print("least like the others:", ", ".join(f"a {y[new][i]} (number {1200 + i})" for i in order))

# %% The map is one file, with the pictures in it, so that newcomers come as pictures.
folder = sys.argv[1] if len(sys.argv) > 1 else "."
model.save(f"{folder}/digits.adjoin")
again = adjoin.load(f"{folder}/digits.adjoin")
assert np.array_equal(again.transform(X[new]), projected.coordinates)

# %% The picture: the old digits pale, the newcomers as what they are.
import matplotlib.pyplot as plt

_, ax = plt.subplots(figsize=(9, 7.5), layout="constrained")
colours = plt.get_cmap("tab10").colors
ax.scatter(*model.embedding_.T, s=14, c=[colours[k] for k in y[old]], alpha=0.25, linewidths=0)
for (x_, y_), digit in zip(projected.coordinates, y[new]):
    ax.text(x_, y_, str(digit), color=colours[digit], fontsize=7, ha="center", va="center")
ax.set_aspect("equal")
ax.set_xlabel("axis 1")
ax.set_ylabel("axis 2")
ax.set_title("Isomap of 1200 digits (dots), and 597 added later (numerals)")
ax.figure.savefig(f"{folder}/digits.png", dpi=150)
