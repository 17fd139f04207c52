"""All plots."""

from beings_plots1 import PLOTS as _P1
from beings_plots2 import PLOTS as _P2
from beings_plots3 import PLOTS as _P3
from beings_plots4 import PLOTS as _P4

PLOTS = _P1 + _P2 + _P3 + _P4
