"""Data for examples."""

from importlib.resources import files

from ._optional import needed

__all__ = ["eurodist"]


def eurodist():
    """Road distances between 21 European cities, in kilometres.

    Returns
    -------
    pandas.DataFrame of shape (21, 21)
        With the cities' names as index and columns.

    Examples
    --------
    >>> from adjoin.datasets import eurodist
    >>> int(eurodist().loc["Vienna", "Rome"])
    1209
    """
    pd = needed("pandas", "eurodist")
    with (files(__package__) / "eurodist.tsv").open("rb") as file:
        return pd.read_csv(file, sep="\t", index_col=0).astype(float)
