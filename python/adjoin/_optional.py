"""Libraries that only some calls need."""

from importlib import import_module

# What to install for it.
_EXTRA = {"pandas": "adjoin[frames]", "tqdm.auto": "adjoin[progress]", "matplotlib.pyplot": "adjoin[plot]"}


def needed(library, argument, otherwise=""):
    """Return a library, or raise an ImportError that says what to install; `argument` is what asks for it."""
    try:
        return import_module(library)
    except ImportError:
        name = library.partition(".")[0]
        install = _EXTRA.get(library, name)
        raise ImportError(
            f"{argument}: found no {name}, expected it to be installed (pip install '{install}'){otherwise}"
        ) from None


def frame(columns, library, index="label"):
    """Return named columns as a table of a library; in pandas one of them is the index."""
    if library not in ("pandas", "polars", "pyarrow"):
        raise ValueError(f"library: found {library!r}, expected 'pandas', 'polars' or 'pyarrow'")
    module = needed(library, "library")
    if library == "pyarrow":
        return module.table(columns)
    made = module.DataFrame(columns)
    return made.set_index(index) if library == "pandas" else made
