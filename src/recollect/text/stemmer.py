"""Import the English stemmer of Snowball without the thirty other languages of its package, which cost every command
20 ms. It happens while this module is imported, so no two threads do it at once.
"""

import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec

_PACKAGE = "snowballstemmer"
_found = None if _PACKAGE in sys.modules else PathFinder.find_spec(_PACKAGE)
if _found is not None:
    sys.modules[_PACKAGE] = module_from_spec(_found)  # the package with its path, but its code has not run

from snowballstemmer.english_stemmer import EnglishStemmer  # noqa: E402  # uses the entry above

if _found is not None:
    del sys.modules[_PACKAGE]  # a later import gets the whole package

__all__ = ["EnglishStemmer"]
