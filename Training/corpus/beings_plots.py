"""All plots."""

from beings_plots1 import PLOTS as _P1
from beings_plots2 import PLOTS as _P2

PLOTS = _P1 + _P2
