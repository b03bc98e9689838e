"""The functions of Featherstone's spatial_v2 under their own names, on float arrays.

Names, argument orders and dispatch on argument counts are those of the MATLAB package.  Several
outputs are a tuple, column vectors are one-dimensional arrays, and bodies are numbered from 1.  The
core of polhode does the computing.  May import `errors`, `docstrings`, `once`, `files`,
`arguments`, `arrays`, `spatial`, `model`, `algorithms`, `api` and `viewer`.

>>> from polhode import spatial_v2 as sv
>>> robot = sv.autoTree(3)
>>> sv.ID(robot, [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]).shape
(3,)
"""

from .animation import showmotion
from .arithmetic import (
    Fpt,
    Vpt,
    Xpt,
    XtoV,
    crf,
    crm,
    mcI,
    plnr,
    pluho,
    plux,
    rotx,
    roty,
    rotz,
    xlt,
)
from .contact import gcFD, gcontact, gcPosVel
from .dynamics import HD, ID, EnerMo, FDab, FDcrb, FDgq, HandC, jcalc
from .floating import FDfb, IDfb, fbanim, fbkin
from .gallery import gfxExample
from .machines import rollingdisc, scissor, singlebody, vee
from .rotation import rq, rqd, rv, rx, ry, rz, skew
from .sparsity import LTDL, LTL, expandLambda, mpyH, mpyL, mpyLi, mpyLit, mpyLt
from .system import OneBased, Struct, SystemModel
from .trees import autoTree, doubleElbow, floatbase, planar

__all__ = [
    "HD", "ID", "LTDL", "LTL", "EnerMo", "FDab", "FDcrb", "FDfb", "FDgq", "Fpt", "HandC",
    "IDfb", "OneBased", "Struct", "SystemModel", "Vpt", "Xpt", "XtoV", "autoTree", "crf", "crm",
    "doubleElbow", "expandLambda", "fbanim", "fbkin", "floatbase", "gcFD", "gcPosVel",
    "gcontact", "gfxExample", "jcalc", "mcI", "mpyH", "mpyL", "mpyLi", "mpyLit", "mpyLt",
    "planar", "plnr", "pluho", "plux", "rollingdisc", "rotx", "roty", "rotz", "rq", "rqd", "rv",
    "rx", "ry", "rz", "scissor", "showmotion", "singlebody", "skew", "vee", "xlt",
]  # fmt: skip
