"""What a body stands on, and the hulls with which it may touch that and itself.

Units and frames: metres; Y up, base frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sera.animation.body.body import Body

if TYPE_CHECKING:
    from sera.kinematics.contacts import Hull


def ground_of(body: Body) -> float | None:
    """The height of the ground, as the file says; None if it says that there is none.

    A file that says nothing means its frame's foot, or what is lowest in neutral if that is lower.
    """
    from sera.animation.body.load import read_file

    _, file = read_file(body.folder)
    said = file.robot.ground_m
    if said is not None:
        return None if said == "none" else float(said)
    from sera.animation.body.shapes import placed_shapes

    return min(0.0, placed_shapes(body, {}).lowest_m)


def hulls_of(body: Body) -> tuple[list[Hull], bool]:
    """The shapes of a body as hulls, and whether they are its own.

    What lies on a surface, such as an eye, touches nothing, unless it is as large as a tablet. A
    body whose file says no shapes has hulls along its links, good enough for the ground alone.
    """
    import numpy as np

    from sera.animation.body.load import read_file
    from sera.kinematics.contacts import Hull

    _, file = read_file(body.folder)
    found = []
    for table in file.shapes:
        if not table.on_top or (len(table.points_m) > 2 and table.glows is None):
            points = np.array(table.points_m, dtype=np.float64)
            radii = np.broadcast_to(np.array(table.radius_m, dtype=np.float64), (len(points),))
            found.append(Hull(table.joint or None, points, radii.copy()))
    if found:
        return found, True
    tree = body.tree
    thin = np.full(1, 0.01)
    found = [Hull(joint, np.zeros((1, 3)), thin) for joint in tree.frame_names]
    ends = tree.end_points.values()
    return found + [Hull(end.joint, np.array([end.offset_m]), thin) for end in ends], False
