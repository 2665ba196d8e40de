"""Hot, neutral and cold of Adelino differ wherever it looks, by its joints' places alone."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from sera.animation.assets.repertoire import load_repertoire
from sera.animation.body import load_body
from sera.animation.sheets import perform

ROBOTS = Path(__file__).parents[3] / "robots"
POSTURES = ("hot", "neutral", "cold")


def shape(body, own):
    """Reach and height of neck and tip in the trunk's own frame, and the sum of the bends."""
    tree = body.tree
    angles = tree.angles_of({name: own[name] for name in body.joints})
    places = dict(zip(tree.frame_names, tree.forward(angles).positions_m, strict=True))
    ahead = np.array([math.sin(own["base"]), 0.0, math.cos(own["base"])])
    tip = tree.pose(angles, "head").position_m
    neck = places["head_bend"]
    elbow = places["upper_bend"]
    bends = own["lower_bend"] + own["upper_bend"]
    return [elbow @ ahead, elbow[1], neck @ ahead, neck[1], tip @ ahead, tip[1], bends]


def shapes(body, repertoire, yaws_deg, pitches_deg):
    rows, labels = [], []
    for label, name in enumerate(POSTURES):
        for yaw in yaws_deg:
            for pitch in pitches_deg:
                gaze = (math.radians(yaw), math.radians(pitch))
                played = perform(body, None, repertoire.posture(name), gaze_rad=gaze)
                rows.append(shape(body, played.pose(0.0)))
                labels.append(label)
    return np.array(rows), np.array(labels)


def test_hot_neutral_and_cold_are_told_apart_over_all_directions():
    body = load_body(ROBOTS / "adelino")
    repertoire = load_repertoire(body, ROBOTS / "shared")
    known, labels = shapes(body, repertoire, (-70, 0, 70), (0, 20, 40, 60, 80))
    seen, truth = shapes(body, repertoire, (-65, -50, -25, 10, 40, 69), (2, 10, 27, 33, 50, 71, 78))
    scale = known.std(axis=0)
    distances = np.linalg.norm((seen[:, None, :] - known[None, :, :]) / scale, axis=2)
    found = labels[distances.argmin(axis=1)]
    assert np.mean(found == truth) >= 0.95
