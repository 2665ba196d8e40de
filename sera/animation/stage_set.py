"""Everything a body needs to be animated, found in its places and read again when it changes.

    robots/<name>/body.toml           the body
    robots/shared, robots/<name>      animations/, postures/, faces/, controllers/, program.toml
    scenarios/<name>                  the same, for this scenario alone
    controllers/                      of the workspace: plug-ins for all of its bodies

The more particular place wins: a scenario's program.toml over the robot's over the shared one.

Units and frames: none. Threading: reading blocks; call it where that does no harm.
Safety: a set with a problem is refused as a whole, so that whoever runs keeps the one before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sera.animation.assets.repertoire import KINDS, Repertoire, load_repertoire, shared_folders
from sera.animation.body import Body, load_body
from sera.animation.engine import Surroundings
from sera.animation.program import Program, ProgramError, Registry, load_program
from sera.animation.program.registry import PLUG_IN_FOLDER
from sera.emotion import Profile, has_profile, load_emotions, load_profile
from sera.emotion.emotions import EMOTIONS_FILE
from sera.emotion.profile import PROFILE_FILE
from sera.runtime.located import FileProblem, FileProblems
from sera.runtime.workspace import scenario_folders

PROGRAM = "program.toml"
Fingerprint = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class StageSet:
    """Where everything lies for one body in one scenario."""

    body: Body
    shared: tuple[Path, ...]
    scenario: Path | None
    program_name: str = PROGRAM
    plug_in_roots: tuple[Path, ...] = ()
    second_stage: str | None = None
    seed: int = 0
    around: Surroundings | None = None

    @classmethod
    def find(
        cls,
        robot_folder: Path,
        roots: tuple[Path, ...],
        *,
        scenario: Path | None = None,
        program: str | None = None,
        second_stage: str | None = None,
        seed: int = 0,
        around: Surroundings | None = None,
    ) -> StageSet:
        """The set of a robot in a workspace.

        Args:
            robot_folder: with `body.toml`.
            roots: of the workspace, the user's own first.
            scenario: folder of the scenario, None without one.
            program: name of the program file where it is not `program.toml`.
            second_stage: a stage in place of the program's.
            seed: of everything random in the program.
            around: what stands beside the robot.

        Raises:
            BodyError: with every problem of the body file.
        """
        shared = shared_folders(roots)
        particular = (*shared, robot_folder, *scenario_folders(scenario, robot_folder))
        return cls(
            body=load_body(robot_folder),
            shared=shared,
            scenario=scenario,
            program_name=program or PROGRAM,
            plug_in_roots=(*reversed(roots), *particular),
            second_stage=second_stage,
            seed=seed,
            around=around,
        )

    @property
    def folders(self) -> tuple[Path, ...]:
        """Where things are looked for, the most particular last."""
        folder = self.body.folder
        return (*self.shared, folder, *scenario_folders(self.scenario, folder))

    def program_file(self) -> Path:
        """The program that counts.

        Raises:
            ProgramError: there is none.
        """
        places = [folder / self.program_name for folder in reversed(self.folders)]
        for place in places:
            if place.is_file():
                return place
        listed = ", ".join(str(place.parent) for place in places)
        problem = FileProblem(
            places[0], "there is no such program", fix=f"looked for {self.program_name} in {listed}"
        )
        raise ProgramError([problem])

    def repertoire(self) -> Repertoire:
        """Animations, postures and faces; RepertoireError with every problem."""
        also = scenario_folders(self.scenario, self.body.folder)
        return load_repertoire(self.body, self.shared, also=also)

    def program(self, repertoire: Repertoire | None = None) -> Program:
        """The program with everything it plays; `repertoire` where that was read already.

        Raises:
            ProgramError, RepertoireError: with every problem, by line.
        """
        repertoire = repertoire or self.repertoire()
        registry = Registry()
        try:
            registry.load_plug_ins(self.plug_in_roots)
        except FileProblem as problem:
            raise ProgramError([problem]) from None
        try:
            profile = self._profile(repertoire)
            emotions = load_emotions(self.folders)
        except FileProblems as wrong:
            raise ProgramError(wrong.problems) from None
        return load_program(
            self.program_file(),
            self.body,
            animations=repertoire.animations,
            postures={name: dict(each.values) for name, each in repertoire.postures.items()},
            faces=repertoire.faces,
            registry=registry,
            second_stage=self.second_stage,
            seed=self.seed,
            profile=profile,
            emotions=emotions,
            around=self.around,
        )

    def _profile(self, repertoire: Repertoire) -> Profile | None:
        """How the body shows what it feels; None where nobody has said so."""
        folder = self.body.folder
        if not has_profile(folder):
            return None
        return load_profile(folder, self.body, postures=("neutral", *repertoire.postures))

    def fingerprint(self) -> Fingerprint:
        """Changes when a file changes that the program is made from."""
        marks = []
        for file in sorted(set(self._files())):
            try:
                facts = file.stat()
            except OSError:  # taken away between listing and looking
                continue
            marks.append((str(file), facts.st_mtime_ns, facts.st_size))
        return tuple(marks)

    def _files(self) -> Iterator[Path]:
        for folder in self.folders:
            yield folder / self.program_name
            yield folder / PROFILE_FILE
            yield folder / EMOTIONS_FILE
            for kind in KINDS:
                yield from (folder / kind).glob("*.toml")
                yield from (folder / kind).glob("*.json")
        for root in self.plug_in_roots:
            yield from (root / PLUG_IN_FOLDER).glob("*.py")
