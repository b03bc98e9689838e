"""Contact: distances, contact points and rays of shapes, and compliant ground under a model.

Contact in scenes is `polhode.Scene` and `polhode.simulate`.
"""

from typing import TYPE_CHECKING

from .api.ground_contact import compliant_ground, ground_contact_force
from .collision import ContactPoint, Distance, contacts, distance, ray_cast
from .namespaces import says_where

__all__ = [
    "ContactPoint",
    "Distance",
    "compliant_ground",
    "contacts",
    "distance",
    "ground_contact_force",
    "ray_cast",
]

if not TYPE_CHECKING:  # type checkers would take any name
    __getattr__ = says_where(__name__)
