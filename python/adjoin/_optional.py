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
