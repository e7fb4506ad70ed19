"""Maps and newcomers as a picture, and as a page."""

from sklearn.utils.validation import check_is_fitted

from ._generations import as_it_was
from ._newcomers import newcomers
from ._run import running


class Shown:
    """What draws a model."""

    def plot(
        self,
        ax=None,
        *,
        axes=(0, 1),
        labels="auto",
        metadata=None,
        colour_by=None,
        shape_by=None,
        size_by=None,
        flip=(),
        ellipses=False,
        hulls=False,
        spiders=False,
        variables=None,
        axis_names="axis",
    ):
        """Draw the map. Needs matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure if there is none.

        axes : pair of int, default=(0, 1)
            Which two axes of the map.

        labels : {"auto", "all", "none"}, default="auto"
            Whether to write labels; "auto" does if they are few.

        metadata : DataFrame or dict, optional
            What else is known of the objects, by label.
        colour_by, shape_by, size_by : str or sequence, optional
            Columns of `metadata`, or values, one for each old object and each newcomer.
        flip : int or sequence of int, default=()
            Axes that are drawn the other way round: their direction has no meaning.
        ellipses, hulls, spiders : bool, default=False
            Whether to draw the 95 % ellipse, the hull, or lines from the centroid, of the old objects of each class that
            colours.
        variables : DataFrame or dict, optional
            Numbers by old object (species, soil, climate): those that follow the axes shown are drawn as arrows, as
            vegan's `envfit` does (p ≤ 0.05 by 999 permutations, the eight strongest).
        axis_names : str, default="axis"
            What the axes are called before their number, such as "PCo".

        Returns
        -------
        matplotlib.axes.Axes
        """
        check_is_fitted(self)
        from ._plot import draw

        return draw(
            self.map_,
            None,
            ax=ax,
            axes=axes,
            labels=labels,
            metadata=metadata,
            colour_by=colour_by,
            shape_by=shape_by,
            size_by=size_by,
            flip=flip,
            ellipses=ellipses,
            hulls=hulls,
            spiders=spiders,
            variables=variables,
            axis_names=axis_names,
        )

    def report(
        self,
        path,
        X=None,
        *,
        strategy=None,
        between=None,
        self_similarity=None,
        weights=None,
        labels=None,
        generation=None,
        uncertainty=None,
        old=None,
        metadata=None,
        variables=None,
        beside=(),
        flip=(),
        title=None,
    ):
        """Write the interactive page: one HTML file that opens from disk and needs no network.

        Parameters
        ----------
        path : str or path-like
            The page. It appears whole or not at all.

        X : array-like of shape (n_new, n_samples) or (n_new, n_features), default=None
            As for `place`; the map alone if there are none.

        strategy : str, default=None
            How newcomers are placed when the page opens; the estimator's strategy if None.

        between, self_similarity, weights, labels, generation
            As for `place`.

        uncertainty, old
            As for `place`: a region is drawn around each place that holds 95 % of what the old objects' disagreement allows
            (by refits, around where the page opens).

        metadata : DataFrame or dict, default=None
            What objects are coloured and shaped by: a DataFrame whose index has labels (polars: the first column), or
            a dict of columns, each a dict by label or one value for every old object and perhaps every newcomer.

        variables : DataFrame or dict, default=None
            Numbers by old object (species, soil, climate): those that follow the axes are drawn as arrows.

        beside : str or sequence of str, default=()
            Further strategies to compare with, side by side: hyperplane, augment, stress.

        flip : int or sequence of int, default=()
            Axes that are drawn the other way round when the page opens: their direction has no meaning.

        title : str, default=None
            What the page is called.

        Examples
        --------
        >>> import adjoin, os, tempfile
        >>> cities = adjoin.datasets.eurodist()
        >>> model = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = os.path.join(folder, "page.html")
        ...     model.report(page, cities.iloc[18:, :18], title="European cities")
        ...     os.path.getsize(page) > 100_000
        True
        """
        check_is_fitted(self)
        from ._report import write

        between = None if between is False else between
        told = dict(labels=labels, between=between, self_similarity=self_similarity, weights=weights)
        told |= dict(uncertainty=uncertainty, old=old)
        strategy = self._strategy(strategy, between)
        if X is None and any(value is not None for value in (generation, *told.values())):
            raise ValueError("X: found None beside what newcomers have, expected newcomers")
        past, X = (self, None) if X is None else as_it_was(self, X, generation)
        new = None if X is None else newcomers(past, X, **told)
        with running(self) as run:
            write(past.map_, path, title, new, strategy, metadata, variables, beside, flip, run)
