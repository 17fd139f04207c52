"""All plots."""

from beings_plots1 import PLOTS as _P1

PLOTS = _P1
