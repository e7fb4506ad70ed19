"""Newcomers that become members, and maps that are fitted anew."""

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from . import _input
from ._generations import as_it_was, with_map
from ._names import has_names
from ._newcomers import digest, newcomers, ordered
from ._run import running


class Growing:
    """What makes another model of a model."""

    def grow(
        self,
        X,
        strategy=None,
        *,
        between=None,
        self_similarity=None,
        weights=None,
        labels=None,
        generation=None,
    ):
        """Take newcomers in for good: a new model, on which they are members and nobody has moved.

        Whoever comes later is compared with them too; or, by giving proximities to the founders or the members up to some
        generation only, is placed on the map as it was then. This model does not change.

        Parameters
        ----------
        X : array-like of shape (n_new, n_samples) or (n_new, n_features)
            As for `place`.

        strategy : str, default=None
            How to place them; the estimator's strategy if None.

        between, self_similarity, weights, labels
            As for `place`. Members without names are called `new1`, `new2` … where the founders have names.

        generation : int, default=None
            As for `place`.

        Returns
        -------
        self : object
            A model of the same class. `map_.generations` tells who came when.

        Examples
        --------
        >>> import adjoin
        >>> cities = adjoin.datasets.eurodist()
        >>> model = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18])
        >>> grown = model.grow(cities.iloc[18:20, :18], strategy="reconstruct")
        >>> grown.object_names_[18:]
        ['Rome', 'Stockholm']
        >>> grown.place(cities.iloc[20:, :20], strategy="reconstruct")
        <Placements of 1 newcomers by reconstruct: 1 unique>
        >>> grown.generation(0).place(cities.iloc[20:, :18]).known.tolist()
        [18]
        """
        check_is_fitted(self)
        between = None if between is False else between
        strategy = self._strategy(strategy, between)
        past, X = as_it_was(self, X, generation)
        # Packed bits and sparse features stay what they are.
        as_it_is = past._packed or _input.is_sparse(X) and not past._precomputed
        X = X if as_it_is else _input.table(X, "X")
        new = newcomers(
            past, X, labels=labels, between=between, self_similarity=self_similarity, weights=weights
        )
        how = (strategy, False, False, False)
        values = new["packed"][0] if past._packed else X if as_it_is else X.values
        source = (f"{' × '.join(map(str, values.shape))} numbers", digest(values))
        with running(self) as run:
            grown = self.map_.grow(new, how, len(past.map_.generations), source, run)
        if self._precomputed:
            return with_map(self, grown)
        more = values if as_it_is else ordered(past, X, "X") if has_names(past, X) else values
        return with_map(self, grown, more)

    def refit(self, X):
        """Fit everybody anew with this model's parameters, turned and shifted onto its map: a new model.

        Nothing is scaled. `refit_` of the new model says how far the founders of this one moved: `procrustes` (the sum of
        their squared moves over that of their squared distances from their mean), `root_mean_square`, the old map's `spread`
        to judge them by, and `moved`, pairs of an object and how far, the farthest first.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_samples) or (n_samples, n_features)
            As for `fit`: of all objects, old and new, by their names; without names the old ones come first. What became of the
            proximities before the fit, `transform` and `symmetrise`, becomes of these too.

        Returns
        -------
        self : object
            A model of the same class.

        Examples
        --------
        >>> import adjoin
        >>> cities = adjoin.datasets.eurodist()
        >>> model = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18])
        >>> anew = model.refit(cities)
        >>> len(anew.embedding_), anew.refit_["moved"][0][0]
        (21, 'Athens')
        """
        check_is_fitted(self)
        said = self.map_.settings
        model = clone(self).fit(X, transform=said.get("transform"), symmetrise=said.get("symmetrise"))
        turned, moved = model.map_.onto(self.map_)
        model._adopt(turned)
        model.refit_ = moved
        return model

    def generation(self, generation):
        """Return the model of the map as it was at a generation, 0 being its founders, to the bit.

        Parameters
        ----------
        generation : int
            How many generations had come.

        Returns
        -------
        self : object
            A model of the same class; this one if nobody came since.
        """
        check_is_fitted(self)
        if generation == len(self.map_.generations):
            return self
        return with_map(self, self.map_.generation(generation))
