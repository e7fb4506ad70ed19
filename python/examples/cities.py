"""European cities: a map from road distances, and cities added to it later.

Run as a script, or cell by cell in a notebook. Needs matplotlib and pandas.
"""

# %% Road distances in kilometres. The last three cities arrive later.
import sys

import adjoin

cities = adjoin.datasets.eurodist()
later = ["Athens", "Stockholm", "Vienna"]
old = cities.drop(index=later, columns=later)
new = cities.loc[later, old.columns]

# %% The map of the old cities. Roads are not straight, so two axes do not show everything.
model = adjoin.ClassicalMDS(n_components=2, metric="precomputed").fit(old)
print(f"two axes show {model.explained_variance_ratio_.sum():.0%} of the positive eigenvalues")

# %% Where do the others belong? What every strategy says, those least like the others first.
comparison = model.compare(new)
print(comparison)
columns = ["axis1", "axis2", "strategy", "distance_error", "status"]
print(comparison.to_frame()[columns].round(1).to_string())

# %% Restricted reconstruction: a margin of at least 0 proves that no place is better.
placed = model.place(new, strategy="reconstruct")
print(placed.to_frame()[["axis1", "axis2", "lambda", "residual", "p", "margin"]].round(3).to_string())
assert (placed.margin >= 0).all()

# %% All three together, from the distances between them, too.
together = model.place(cities.loc[:, [*old.columns, *later]], between=True)
print(together)

# %% One city on its way from projection to reconstruction.
print(model.arc(new.loc["Athens"], points=5).to_frame().round(1).to_string())

# %% The map is one file; the command line reads it, too.
folder = sys.argv[1] if len(sys.argv) > 1 else "."
model.save(f"{folder}/europe.adjoin")
assert adjoin.load(f"{folder}/europe.adjoin").object_names_ == list(old.columns)

# %% The picture. Axes have no direction of their own: here north is up and west is left.
import matplotlib.pyplot as plt

_, ax = plt.subplots(figsize=(8, 6.5), layout="constrained")
position = dict(zip(model.object_names_, model.embedding_))
if position["Lisbon"][0] > 0:
    ax.invert_xaxis()
if position["Copenhagen"][1] < 0:
    ax.invert_yaxis()
placed.plot(ax)
ax.set_title("Road distances: 18 cities, and three added later")
ax.figure.savefig(f"{folder}/cities.png", dpi=150)
