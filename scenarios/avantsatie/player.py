"""A simulated player: sees the robot's body, the screen and the piano, and nothing else.

Design overview
    It stands where a camera, a floor piano and a person would be: it publishes where the head is
    and which key was stepped on. It hears three messages only: the joints of the robot, what the
    screen shows, and the sound of keys. How a guess was judged it has to find out like everybody.
    The thinking is in `player_mind.py`, the person comes from `sera.study.participants`.

Units and frames
    Metres in the scenario's space, seconds on the clock of the run.

Threading
    The event loop's thread.
"""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from sera import Module, on
from sera.behaviour.space import Angles, Frame, angles_of
from sera.messages import (
    Direction,
    Envelope,
    HeadDirection,
    JointFrame,
    PersonDetected,
    PersonMoved,
    Position,
    QuestionnaireAnswered,
)
from sera.runtime import Role
from sera.study import PLAN_FILE, load_plan
from sera.study.form_wish import study_form
from sera.study.participants import (
    Experience,
    MeaningLearner,
    PostureReader,
    answer_form,
    draw_person,
)

from .messages import KeyStepped, NoteSounded, ScreenShown
from .pieces import load_pieces
from .player_mind import PlayerMind

FloatArray = NDArray[np.float64]
STEP_S = 0.1
"""How often a walking person's place is told."""
LOOK_EVERY_S = 0.2
STILL_M = 0.012
"""A silhouette that changes by less between two looks stands still."""
STILL_LOOKS = 2
"""So many looks in a row: at the turning point of a nod a body stands still for one."""
CHANGED_M = 0.05
"""A silhouette that differs by more than that from the one before has moved."""
LONGEST_WATCH_S = 4.0
TURNS_FROM_DEG = 5.0
"""A face that has moved by less is followed with the eyes alone."""
HANDS_TO_FLOOR_S = 0.25
"""From standing beside a key to the weight on it."""


class SimulatedPlayer(Module):
    """Plays the game to its end."""

    role = Role.PERCEPTION
    hears_everyone = True

    class Settings(Module.Settings):
        """Who plays."""

        robot: str = "adelino"
        """The character that is watched."""
        person: str = "player"
        """Id that the tracker gives to the player."""
        population: str | None = None
        """Seed of the population; left out: the run's."""
        number: int = 0
        """Which person of the population."""
        participant: str = "simulated"
        """Pseudonym, for the forms."""
        forms: list[str] = Field(default_factory=list)
        """Questionnaires that are filled in at the end."""
        noise_factor: float = Field(default=1.0, ge=0, le=100)
        """On the spread of what is seen; for controls of simulations."""
        pieces: str = "pieces.toml"

    async def start(self) -> None:
        from sera.animation.body import face_of, load_body

        settings, context = self.settings, self.context
        scenario = context.scenario
        assert scenario is not None
        piano = load_pieces((context.folder or Path()) / settings.pieces).piano
        self._keys = list(piano.keys)
        self._places = [piano.position_m(key) for key in self._keys]
        self._person = draw_person(settings.population or context.seed, settings.number)
        if settings.robot not in scenario.robots:
            known = ", ".join(scenario.robots)
            raise ValueError(
                f"no character '{settings.robot}' has a body to watch (there is {known})"
            )
        body = load_body(scenario.robots[settings.robot].folder)
        face = face_of(body)
        end_point = None if face is None else face.end_point
        self._reader = PostureReader(body, end_point)
        self._stands = Frame.of(scenario.characters[settings.robot])
        self._face = body.tree.chain(end_point)
        self._aim: Direction | None = None
        learner = MeaningLearner(self._reader.size, self._person.caution)
        self.mind = PlayerMind(self._person, len(self._keys), learner, self.random)
        self._joints: dict[str, float] = {}
        self._screen: ScreenShown | None = None
        self._changed = asyncio.Event()
        self._head = (0.0, 3.2)
        folder = context.folder or Path()
        plan = load_plan(folder / PLAN_FILE) if settings.forms else None
        self._forms = {name: study_form(name, folder, plan) for name in settings.forms}

    # -- what is seen and heard: nothing may be added here ---------------------------------

    @on(JointFrame)
    async def see_the_robot(self, message: JointFrame, envelope: Envelope) -> None:
        if envelope.character == self.settings.robot:
            self._joints = message.joints_rad

    @on(ScreenShown)
    async def read_the_screen(self, message: ScreenShown) -> None:
        self._screen = message
        self._changed.set()

    @on(NoteSounded)
    async def hear_a_key(self, _message: NoteSounded) -> None:
        """Sounds tell nothing that stepping on the key did not."""

    # -- what is done -----------------------------------------------------------------------

    async def run(self) -> None:
        x_m, z_m = self._head
        here = Position(x_m=x_m, y_m=self._person.head_m, z_m=z_m)
        await self.publish(PersonDetected(person=self.settings.person, position=here))
        began_s = self.clock.now()
        while True:
            screen = self._screen
            self.mind.played_s = self.clock.now() - began_s
            if screen is not None and screen.screen == "guess":
                await self._guess(screen)
            elif screen is not None and screen.screen in ("start", "repeat"):
                await self._follow(screen)
            elif screen is not None and screen.screen == "end":
                await self._fill_in()
                await self._until_the_screen_changes(None, screen)
            else:
                await self._until_the_screen_changes(None)

    async def _follow(self, screen: ScreenShown) -> None:
        """Play the key that the screen shows, and wait until it shows another."""
        if screen.highlighted is None:
            await self._until_the_screen_changes(2.0)
            return
        await self._step_on(self._keys.index(screen.highlighted))
        self.mind.stands_on = self._keys.index(screen.highlighted)
        await self._until_the_screen_changes(3.0)

    async def _guess(self, screen: ScreenShown) -> None:
        mind = self.mind
        mind.new_note()
        while self._screen is screen:
            key = mind.next_key()
            await self.clock.sleep(mind.thinking_s())
            await self._step_on(key)
            if self._screen is not screen:
                break  # the screen went on while somebody was on the way
            mind.guessed(key)
            seen, moved = await self._watch(screen)
            mind.saw(seen, moved)
            if self._screen is screen:
                mind.was_wrong()
        if self._screen is not None and self._screen.found:
            mind.was_right(self._keys.index(self._screen.found[-1]))

    async def _watch(self, screen: ScreenShown) -> tuple[FloatArray | None, bool]:
        """Look at the robot until it stands still, or as long as patience lasts."""
        if not self.mind.looks():
            await self._until_the_screen_changes(self.mind.patience_s(), screen)
            return None, False
        chance, noise_m = self.random, self._person.noise_m * self.settings.noise_factor
        before = last = self._reader.silhouette(self._joints)
        began_s = self.clock.now()
        moved, still = False, 0
        while self._screen is screen:
            await self._until_the_screen_changes(LOOK_EVERY_S, screen)
            now = self._reader.silhouette(self._joints)
            await self._look_at_face()
            watched_s = self.clock.now() - began_s
            still = 0 if float(np.abs(now - last).max()) > STILL_M else still + 1
            moved = moved or float(np.abs(now - before).max()) > CHANGED_M
            last = now
            if watched_s >= LONGEST_WATCH_S:
                break
            if still >= STILL_LOOKS and (moved or watched_s >= self.mind.patience_s()):
                break
        return self._reader.seen(self._joints, noise_m, chance), moved

    async def _until_the_screen_changes(
        self, limit_s: float | None, since: ScreenShown | None = None
    ) -> None:
        if since is not None and self._screen is not since:
            return
        self._changed.clear()
        try:
            async with asyncio.timeout(limit_s):
                await self._changed.wait()
        except TimeoutError:
            return

    # -- walking ----------------------------------------------------------------------------

    async def _step_on(self, key: int) -> None:
        await self.clock.sleep(self._person.reaction_s)
        await self._walk_to(self._places[key])
        await self.clock.sleep(HANDS_TO_FLOOR_S)
        await self.publish(KeyStepped(key=self._keys[key], person=self.settings.person))

    async def _walk_to(self, place: tuple[float, float, float]) -> None:
        start, goal = self._head, (place[0], place[2] + 0.1)
        length_m = math.dist(start, goal)
        duration_s = length_m / self._person.walking_m_s
        if duration_s <= 0.0:
            return
        steps = max(1, math.ceil(duration_s / STEP_S))
        for step in range(1, steps + 1):
            await self.clock.sleep(duration_s / steps)
            part = 0.5 - 0.5 * math.cos(math.pi * step / steps)  # slow in, slow out
            x_m = start[0] + part * (goal[0] - start[0])
            z_m = start[1] + part * (goal[1] - start[1])
            self._head = (x_m, z_m)
            position = Position(x_m=x_m, y_m=self._person.head_m, z_m=z_m)
            await self.publish(PersonMoved(person=self.settings.person, position=position))
        self._aim = None
        await self._look_at_face()

    async def _look_at_face(self) -> None:
        """Look at the robot's face, where its joints show it to be; told where it has moved."""
        joints = [self._joints.get(name, 0.0) for name in self._face.joint_names]
        face_m = self._stands.to_room(tuple(self._face.pose(joints).position_m.tolist()))
        x_m, z_m = self._head
        y_m = self._person.head_m
        aim = angles_of((face_m[0] - x_m, face_m[1] - y_m, face_m[2] - z_m))
        now = Direction(
            horizontal_deg=round(aim.horizontal_deg, 1), vertical_deg=round(aim.vertical_deg, 1)
        )
        before = self._aim
        if (
            before is not None
            and aim.apart_deg(Angles(before.horizontal_deg, before.vertical_deg)) < TURNS_FROM_DEG
        ):
            return
        self._aim = now
        await self.publish(
            HeadDirection(person=self.settings.person, direction=now, looks_at=self.settings.robot)
        )

    # -- afterwards -------------------------------------------------------------------------

    async def _fill_in(self) -> None:
        """Answer the forms, from a stated model of what was experienced."""
        mind, settings = self.mind, self.settings
        lived = Experience(understood=mind.learner.trust, lively=mind.moves_seen, success=0.5)
        for name, form in self._forms.items():
            answers, free = answer_form(form, self._person, lived, self.random)
            await self.publish(
                QuestionnaireAnswered(
                    questionnaire=name,
                    participant=settings.participant,
                    answers=answers,
                    free_answers=free,
                )
            )
