"""How near the hulls of a body come over the ranges of its joints, compiled.

Units and frames: as in `_contact_kernels`. Threading: no state.
"""

from __future__ import annotations

import math

import numpy as np

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics.contacts._contact_kernels import GROUND, Scene, Seen, centre_of, place_points
from sera.kinematics.contacts._distance_kernels import hull_distance


@kernel
def survey(
    scene: Scene, seen: Seen, poses: FloatArray, cap: float, least_m: FloatArray, most_m: FloatArray
) -> None:
    """Write the least and the largest distance (k,) of every pair over all poses (m, columns).

    Distances beyond `cap` are bounds from below.
    """
    least_m[:], most_m[:] = np.inf, -np.inf
    for number in range(len(poses)):
        seen.angles[:] = poses[number]
        place_points(scene, seen)
        for pair in range(len(scene.pairs)):
            first, second = scene.pairs[pair, 0], scene.pairs[pair, 1]
            distance = math.inf
            if second == GROUND:
                for point in range(scene.firsts[first], scene.firsts[first + 1]):
                    height = seen.placed_m[point, 1] - scene.radii_m[point] - scene.ground_m
                    distance = min(distance, height)
            else:
                a, b = centre_of(scene, seen, first), centre_of(scene, seen, second)
                apart = math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)
                distance = apart - scene.bounds[first, 3] - scene.bounds[second, 3]
                if distance < cap:
                    distance = hull_distance(
                        seen.placed_m,
                        scene.radii_m,
                        seen.weights[pair],
                        (scene.firsts[first], scene.firsts[first + 1]),
                        (scene.firsts[second], scene.firsts[second + 1]),
                        cap,
                        seen.witness,
                    )
            least_m[pair] = min(least_m[pair], distance)
            most_m[pair] = max(most_m[pair], distance)
