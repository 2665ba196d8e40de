"""The shape of an average face, to be laid over the points that are found in a picture.

Where it comes from: the landmark network's points on a hundred portraits (scikit-image's small
set), laid over each other, averaged and made symmetrical. The zero of yaw and pitch is how these
people looked into the camera on average. Only points that keep still while somebody talks count.

Units and frames: millimetres from the middle between the eyes, along the person's own axes: X to
the person's left, Y up, Z out of the face. The eyes are 63 mm apart, the average of adults; faces
of children are smaller, so that they seem about a tenth further away than they are.
"""

from __future__ import annotations

import numpy as np

_PAIRS = (
    # number on the person's right, on the left, then x (of the left one), y, z
    (33, 263, 45.9, 1.1, -2.5),
    (133, 362, 17.1, -1.1, 2.5),
    (159, 386, 33.1, 6.0, 5.6),
    (145, 374, 31.3, -3.6, 3.8),
    (98, 327, 17.2, -42.9, 13.9),
    (129, 358, 20.8, -35.9, 10.4),
    (67, 297, 35.4, 46.3, 7.7),
    (103, 332, 49.4, 41.4, -2.5),
    (54, 284, 59.5, 33.7, -14.7),
    (127, 356, 69.9, -0.2, -49.4),
    (234, 454, 69.1, -10.2, -54.5),
    (93, 323, 67.6, -27.1, -57.0),
    (70, 300, 56.5, 14.6, -2.7),
    (105, 334, 39.8, 21.3, 12.5),
    (107, 336, 14.5, 19.9, 19.8),
    (116, 345, 61.4, -13.4, -13.7),
    (117, 346, 50.8, -13.8, -3.2),
    (50, 280, 47.9, -30.7, 1.5),
    (205, 425, 39.3, -39.2, 6.4),
)

_MIDDLE = (
    (168, 3.8, 16.8),
    (6, -4.9, 21.5),
    (197, -12.1, 26.7),
    (195, -18.6, 31.4),
    (5, -25.6, 36.7),
    (4, -33.6, 39.3),
    (1, -39.6, 37.2),
    (2, -45.3, 21.7),
    (10, 49.5, 16.0),
    (151, 35.1, 18.9),
    (9, 20.4, 21.0),
    (8, 12.4, 18.7),
)

POINT_NUMBERS = np.array(
    [number for right, left, *_ in _PAIRS for number in (right, left)]
    + [number for number, *_ in _MIDDLE]
)
"""Which of the 468 points."""

_DEPTH = 0.93
# The network draws turned faces a little too flat: measured on portraits with rendered turns.

POINTS_MM = np.array(
    [(side * x, y, _DEPTH * z) for _, _, x, y, z in _PAIRS for side in (-1.0, 1.0)]
    + [(0.0, y, _DEPTH * z) for _, y, z in _MIDDLE]
)
"""Where they are on the average face."""

EYES_APART_M = 0.063
BOX_WIDTH_M = 0.145
"""How wide the detector's box is on an average face."""
