"""Babelguard's shared vocabulary and public Python API; light to import."""

from babelguard.errors import UserError
from babelguard.item import Item, Message, Role
from babelguard.languages import Language, language
from babelguard.rating import Rating, Score, Status
from babelguard.taxonomy import RTP_LX, Category, Taxonomy, TaxonomyMapping, taxonomy

__version__ = "0.1.0"

__all__ = [
    "RTP_LX",
    "Category",
    "Item",
    "Language",
    "Message",
    "Rating",
    "Role",
    "Score",
    "Status",
    "Taxonomy",
    "TaxonomyMapping",
    "UserError",
    "__version__",
    "language",
    "taxonomy",
]
