"""The English stemmer of the Snowball project, without the thirty other languages of its package: they would cost every
command 20 ms. Done once, while this module is imported: no two threads meet here.
"""

import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec

_PACKAGE = "snowballstemmer"
_found = None if _PACKAGE in sys.modules else PathFinder.find_spec(_PACKAGE)
if _found is not None:
    sys.modules[_PACKAGE] = module_from_spec(_found)  # a package with its path, and not run

from snowballstemmer.english_stemmer import EnglishStemmer  # noqa: E402  # finds what was prepared above

if _found is not None:
    del sys.modules[_PACKAGE]  # whoever asks for it later gets the whole of it

__all__ = ["EnglishStemmer"]
