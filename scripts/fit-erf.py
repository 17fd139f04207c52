#!/usr/bin/env python3
"""Fits the polynomials of hk_erf and hk_erfc (Sources/CHearthKernels/vision_functions.h); needs mpmath and numpy.

erf(x) = x p(x^2) for |x| <= 1, and erfc(z) = e^(-z^2) t q(t) with t = 1 / (1 + z / 2) for z >= 0: Chebyshev
interpolation in high precision, then the relative error of evaluating the float32 coefficients.
"""
import mpmath as mp
import numpy as np

mp.mp.dps = 40


def interpolate(f, low, high, degree):
    nodes = [(high + low) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * k + 1) / (2 * degree + 2)) for k in range(degree + 1)]
    matrix = mp.matrix(degree + 1, degree + 1)
    values = mp.matrix(degree + 1, 1)
    for row, x in enumerate(nodes):
        # Weighted so that the relative error is what is level.
        value = f(x)
        values[row] = 1
        for column in range(degree + 1):
            matrix[row, column] = x**column / value
    return [float(c) for c in mp.lu_solve(matrix, values)]


def worst(coefficients, f, low, high):
    largest = 0
    for x in np.linspace(float(low), float(high), 4001):
        p = np.float32(0)
        for c in reversed(coefficients):
            p = np.float32(np.float32(p * np.float32(x)) + np.float32(c))
        exact = f(mp.mpf(float(np.float32(x))))
        largest = max(largest, abs(float((mp.mpf(float(p)) - exact) / exact)))
    return largest


def near(u):
    return mp.erf(mp.sqrt(u)) / mp.sqrt(u) if u else 2 / mp.sqrt(mp.pi)


def far(t):
    z = 2 / t - 2
    return mp.erfc(z) * mp.exp(z * z) / t


for name, f, low, high, degree in (("erf", near, mp.mpf(0), mp.mpf(1), 6), ("erfc", far, mp.mpf("0.15"), mp.mpf(1), 9)):
    coefficients = interpolate(f, low, high, degree)
    print(name, f"relative error {worst(coefficients, f, low, high):.2g}, constant term first:")
    print("   ", ", ".join(f"{c:.9g}f" for c in coefficients))
