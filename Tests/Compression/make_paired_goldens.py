"""Writes Tests/Fixtures/compression/paired.json: what scipy and statsmodels say about paired and single proportions.

Needs scipy and statsmodels (pip install scipy statsmodels). Tango's limits are found without his closed form: the likelihood is
maximised numerically under each difference, and the score statistic is brought to the normal quantile by Brent's method.
Each published example has to come out as printed, or nothing is written.

    python Tests/Compression/make_paired_goldens.py
"""

import json
import math
import pathlib

from scipy.optimize import brentq, minimize_scalar
from scipy.stats import binomtest, norm
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

# (n12, n21, n, lower, upper, decimals): the first proportion less the second, 95 %.
# Airway hyper-responsiveness of 21 children: M. W. Fagerland, S. Lydersen, P. Laake, "Recommended tests and confidence
# intervals for paired binomial proportions", Statistics in Medicine 33 (2014) 2850-2875. Complete response of 161 patients: the
# same authors, "Statistical Analysis of Contingency Tables" (2017), chapter 8.
PUBLISHED = [(1, 7, 21, -0.517, -0.026, 3), (6, 16, 161, -0.1240, -0.0054, 4)]

CASES = [
    (0, 0, 400), (1, 0, 400), (0, 1, 400), (2, 1, 400), (69, 0, 400), (340, 0, 400), (3, 0, 10), (0, 10, 10), (10, 0, 10),
    (0, 0, 1), (1, 0, 1), (5, 5, 20), (7, 1, 21), (16, 6, 161), (20, 40, 160), (12, 2, 50), (120, 95, 5000),
    (1300, 1222, 50000), (0, 3, 50000), (4, 9, 30),
]


def statistic(difference, lost, gained, n):
    """Score statistic; the share of lost pictures maximises the likelihood under `difference`."""
    low, high = max(0.0, -difference), (1 - difference) / 2

    def loss(share):
        total = 0.0
        for count, p in [(lost, share), (gained, share + difference), (n - lost - gained, 1 - 2 * share - difference)]:
            if count:
                total -= count * math.log(max(p, 1e-300))
        return total

    found = minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-15, "maxiter": 500})
    candidates = [found.x, low, high]
    share = min(candidates, key=loss)
    numerator = gained - lost - n * difference
    variance = n * (2 * share + difference * (1 - difference))
    if numerator == 0:
        return 0.0
    return numerator / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, numerator)


def lower_limit(lost, gained, n, z):
    measured = (gained - lost) / n
    if measured == -1:
        return -1.0
    return brentq(lambda d: min(statistic(d, lost, gained, n), 1e6) - z, -1 + 1e-12, measured, xtol=1e-13)


def interval(lost, gained, n, level):
    z = norm.ppf((1 + level) / 2)
    return [lower_limit(lost, gained, n, z), -lower_limit(gained, lost, n, z)]


for n12, n21, n, low, high, decimals in PUBLISHED:
    mine = interval(n21, n12, n, 0.95)
    assert [round(v, decimals) for v in mine] == [low, high], (mine, low, high)

paired = []
for lost, gained, n in CASES:
    for level in [0.9, 0.95, 0.99]:
        paired.append({
            "lost": lost, "gained": gained, "pictures": n, "level": level, "interval": interval(lost, gained, n, level),
            "probability": float(mcnemar([[0, lost], [gained, 0]], exact=True).pvalue) if lost + gained else 1.0,
        })
        if lost + gained:
            other = binomtest(lost, lost + gained, 0.5).pvalue
            assert abs(other - paired[-1]["probability"]) < 1e-9

single = [
    {"successes": k, "trials": n, "level": level, "interval": list(proportion_confint(k, n, 1 - level, "wilson"))}
    for k, n in [(399, 400), (400, 400), (0, 400), (1, 1), (59, 400), (37000, 50000), (5, 7)]
    for level in [0.9, 0.95, 0.99]
]
quantiles = [{"level": level, "quantile": float(norm.ppf((1 + level) / 2))} for level in
             [0.01, 0.5, 0.8, 0.9, 0.95, 0.975, 0.99, 0.999, 0.999999]]

# The least number of pictures whose lower limit reaches -drop, shares of lost and gained pictures as they are.
needed = []
for lost, gained, n, drop in [(1, 0, 400, 0.01), (0, 0, 100, 0.01), (2, 1, 400, 0.005), (70, 0, 400, 0.01), (4, 0, 400, 0.01)]:
    z = norm.ppf(0.975)
    answer = None
    if (gained - lost) / n > -drop:
        answer = math.ceil(brentq(
            lambda count: lower_limit(lost / n * count, gained / n * count, count, z) + drop, 2, 1e7, xtol=1e-3))
    needed.append({"lost": lost, "gained": gained, "pictures": n, "drop": drop, "needed": answer})

target = pathlib.Path(__file__).parent.parent / "Fixtures/compression/paired.json"
target.write_text(json.dumps({
    "published": [{"lost": n21, "gained": n12, "pictures": n, "interval": [low, high], "decimals": decimals}
                  for n12, n21, n, low, high, decimals in PUBLISHED],
    "paired": paired, "single": single, "quantiles": quantiles, "needed": needed}, indent=1) + "\n")
print(f"{target}: {len(paired)} paired, {len(single)} single")
