"""Evaluations that can be run again: the published procedures, their figures beside ours.

`sera evaluate` is their command. Each lives in a package of its own; nothing here is needed at run
time of a robot.
"""
