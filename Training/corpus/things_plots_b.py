"""Plots that fit (nearly) every wish, second half."""

PLOTS_B = """
"""
