"""Baselines: the methods that ERIK and the general solver are measured against."""
