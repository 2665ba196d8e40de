"""The second stage that keeps a body clear of the ground, of things beside it and of itself.

Design overview: it comes last. A wanted pose whose hulls keep their distances passes as it is. If
one does not, a pose of the stage's own follows the wanted one from where that last was clear,
slides along what it meets (`sera.kinematics.contacts`), and goes over to the wanted one again where
that is clear. It moves what ERIK leaves free: where the face looks and arms point is held far more
firmly than the posture, and so are hands at work. Contacts are held more firmly still: if no pose
with that look is clear, the look gives way, and `note` says what the body was kept off.

Units and frames: columns of the layout; radians, metres, seconds; base frame of the body.
Threading: one owner, the engine.
Safety: the pose stays within the joints' ends and goes no faster than joints may. A stage that does
not move (`moves=False`) only tells. The motion filter comes after and lets joints travel at their
own speeds: what that cuts off is seen to by `way`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sera.animation.body.ground import ground_of, hulls_of
from sera.animation.channels import OWN_SET
from sera.animation.engine._turns import FACES
from sera.animation.engine.second_stage import SecondStage, StageFrame
from sera.kinematics.contacts import ContactModel, Held, Hull, Steering

if TYPE_CHECKING:
    from sera.animation.body import Body
    from sera.animation.frame import ChannelLayout

FloatArray = NDArray[np.float64]
AT_REST_RAD = 1e-3
"""Nearer than this to a wanted pose that is clear, the stage steps aside."""
_MOST_MODELS = 16
_models: OrderedDict[tuple[object, ...], ContactModel] = OrderedDict()
"""Models that nobody changes, by what they are made of: a body is begun some dozens of times."""


class Surroundings(NamedTuple):
    """What a body stands on and beside."""

    beside: tuple[Hull, ...] = ()
    """Things in the frame of its base, with their names."""
    ground: str = "the ground"
    """What people call what it stands on."""


NOTHING = Surroundings()


class Holding(Protocol):
    """A hand that works."""

    @property
    def share(self) -> float:
        """How much it is held to its place, 0-1."""
        ...


class ClearanceStage(SecondStage):
    """Keeps distances."""

    def __init__(
        self,
        *,
        moves: bool = True,
        around: Surroundings | None = None,
        hands: Mapping[str, Holding] | None = None,
    ) -> None:
        """Work on a body.

        Args:
            moves: False only tells what touches.
            around: what stands beside it.
            hands: who says how much a hand is held to its place, by end point.
        """
        self.name = "clearance"
        self.moves = moves
        self.hands = dict(hands or {})
        self.around = around or NOTHING
        self.model: ContactModel | None = None
        self.note = ""
        """What the body is kept off in this frame, in a few words; empty if nothing holds it."""
        self.held_back = 0
        """How many frames were held back so far, or would have been."""

    def bind(self, body: Body, layout: ChannelLayout) -> None:
        names = body.tree.joint_names
        self.model = model_of(body, self.around)
        self._columns = layout.indices(f"{OWN_SET}.{name}" for name in names)
        self.ends = np.array([[body.own[name].lower, body.own[name].upper] for name in names]).T
        self.speeds = np.array([min(body.own[name].max_velocity, 1e9) for name in names])
        held = [Held(chain.end_point, FACES[chain.face]) for chain in body.chains]
        self._aims = [
            (number, column)
            for number, chain in enumerate(body.chains)
            if chain.aims != "Gazing" and (column := layout.find(chain.horizontal)) is not None
        ]
        places = [Held(name, None) for name in self.hands]
        self._shares = np.ones(len(held) + len(places))
        self._watch = self.model.look()
        self._steering = Steering(self.model, self.ends, (*held, *places))
        self._last = np.array([body.own[name].neutral for name in names])
        self._engaged = False

    def step(self, frame: StageFrame) -> None:
        assert self.model is not None
        wanted = frame.posed[self._columns]
        touches = self._watch.at(wanted) > 0
        if not self._engaged:
            self.note = ""
            if not touches:
                self._last = wanted
                return
            if not self.moves:
                self._tell(int(self._watch.found[int(np.argmin(self._watch.distances_m))]))
                return
            self._engaged = True
            self._steering.pose[:] = self._last
        for number, column in self._aims:
            self._shares[number] = _opacity(frame, column)
        if self.hands:
            self._shares[-len(self.hands) :] = [hand.share for hand in self.hands.values()]
        self._steering.step(wanted, self.speeds * frame.dt_s, self._shares)
        self._last = self._steering.pose.copy()
        frame.posed[self._columns] = self._last
        pressed = self._steering.pressed
        if pressed is None:
            self.note = ""
        else:
            self._tell(pressed)
        if not touches and float(np.abs(self._last - wanted).max()) < AT_REST_RAD:
            self._engaged = False

    def meets(self, angles: FloatArray) -> bool:
        """Whether a pose of the tree comes too near to anything."""
        return self._watch.at(angles) > 0

    def _tell(self, pair: int) -> None:
        assert self.model is not None
        self.held_back += 1
        known = {self.around.ground, *(hull.name for hull in self.around.beside)}
        other = next((word for word in self.model.words(pair) if word in known), "itself")
        self.note = f"kept off {other}"

    def start_from(self, own: Mapping[str, float]) -> None:
        assert self.model is not None
        self._last = np.array([own.get(name, 0.0) for name in self.model.tree.joint_names])
        self._steering.pose[:] = self._last
        self.note = ""


def model_of(body: Body, around: Surroundings = NOTHING) -> ContactModel:
    """What of a body may touch what; made once for all engines of a process."""
    marks = (body.folder / "body.toml").stat()
    beside = tuple((h.name, h.points_m.tobytes(), h.radii_m.tobytes()) for h in around.beside)
    key = (body.folder, marks.st_mtime_ns, marks.st_size, beside, around.ground)
    model = _models.get(key)
    if model is None:
        names = body.tree.joint_names
        own = [body.own[name] for name in names]
        hulls, is_told = hulls_of(body)
        model = _models[key] = ContactModel(
            body.tree,
            [*hulls, *around.beside],
            np.array([spec.neutral for spec in own]),
            (np.array([spec.lower for spec in own]), np.array([spec.upper for spec in own])),
            ground_m=ground_of(body),
            ground=around.ground,
            meets_itself=is_told,
        )
        while len(_models) > _MOST_MODELS:
            _models.popitem(last=False)
    return model


def _opacity(frame: StageFrame, column: int) -> float:
    """How much somebody aims by a channel."""
    if not frame.blend.mask[column]:
        return 0.0
    return min(1.0, float(frame.blend.block.weights[:, column].max()))
