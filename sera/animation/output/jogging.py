"""Finding sign, zero and limits of a unit's servos by jogging, as a conversation.

Design overview: `JogSession` is the conversation alone: a typed command goes in, a `JogAnswer` with
a sentence and maybe an order comes out. It knows no board and no file; `sera robot calibrate`
carries its orders out. A unit's servos are jogged in servo units, whatever sign and zero they have,
so that both can be found.

Units and frames: servo units (degrees of 0 to 180, or percent), see `servo_map`.
Threading: none.
Safety: never beyond the travel that the model gives the servo, and at most five small steps a
command. Nothing is saved unless asked, and never what makes no sense.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sera.animation.output.servo_map import BoardLayout, ServoMap
from sera.runtime.located import nearest_name

LARGEST_STEP = 5.0
SMALLEST_STEP = 0.1
_MOST_STEPS = 5
_HELP = """\
servo NAME     choose a servo, by name or number; `servos` lists them
+ or -         one step; +++ is three, five at most
step SIZE      size of a step, 0.1 to 5 servo units
zero           here is the zero of the joint
flip           the servo turns the other way round
lower, upper   here is the lowest or highest position that the servo may take
save           write it down for this unit
quit           hold, and leave"""


@dataclass(frozen=True, slots=True)
class JogAnswer:
    """What comes back for a command."""

    sentence: str
    move: bool = False
    """The servos shall go to `JogSession.positions`."""
    save: bool = False
    """`JogSession.layout` shall be written down."""
    quit: bool = False


class JogSession:
    """One unit's servos while they are being calibrated.

    Args:
        model: the servos as the model has them; their ranges are the servos' own travel.
        unit: as they are known so far for this unit.
        positions: where they are now, in servo units and the board's order.
    """

    def __init__(self, model: BoardLayout, unit: BoardLayout, positions: Sequence[float]) -> None:
        self._model = model
        self._servos = list(unit.servos)
        self._saved = tuple(unit.servos)
        self.positions = list(positions)
        self.chosen = 0
        self.step = 1.0
        self._commands: dict[str, Callable[[str], JogAnswer]] = {
            "servo": self._choose,
            "servos": self._list,
            "step": self._set_step,
            "zero": self._zero,
            "flip": self._flip,
            "lower": self._lower,
            "upper": self._upper,
            "save": self._save,
            "quit": self._quit,
            "help": self._help,
        }

    @property
    def layout(self) -> BoardLayout:
        """The unit's servos as they are set now."""
        return dataclasses.replace(self._model, servos=tuple(self._servos))

    @property
    def has_changes(self) -> bool:
        """True while something was set and not saved."""
        return tuple(self._servos) != self._saved

    def obey(self, line: str) -> JogAnswer:
        """Carry out one command; nonsense is answered with a sentence and changes nothing."""
        words = line.split()
        if not words:
            return JogAnswer(self._about())
        if set(line.replace(" ", "")) in ({"+"}, {"-"}):
            return self._jog(line.replace(" ", ""))
        command, rest = words[0].lower(), " ".join(words[1:])
        if command not in self._commands:
            near = nearest_name(command, self._commands)
            hint = f"; did you mean '{near}'?" if near else ""
            return JogAnswer(f"there is no command '{command}'{hint} (`help` lists them)")
        if rest and command not in {"servo", "step"} and rest.lower() != "here":
            return JogAnswer(f"'{command}' stands alone; '{rest}' was not understood")
        return self._commands[command](rest)

    def mark_saved(self) -> None:
        """What is set now has been written down."""
        self._saved = tuple(self._servos)

    def found_at(self, positions: Sequence[float]) -> None:
        """The servos are there: after connecting again, or after a move."""
        self.positions = list(positions)

    @property
    def _servo(self) -> ServoMap:
        return self._servos[self.chosen]

    def _about(self) -> str:
        servo, at = self._servo, self.positions[self.chosen]
        return (
            f"{servo.channel}: at {at:.1f}; zero {servo.offset:g}, "
            f"sign {servo.sign:+d}, from {servo.lower:g} to {servo.upper:g}"
        )

    def _jog(self, signs: str) -> JogAnswer:
        if len(signs) > _MOST_STEPS:
            return JogAnswer(f"{len(signs)} steps at once; {_MOST_STEPS} at most")
        travel = self._model.servos[self.chosen]
        at = self.positions[self.chosen]
        change = len(signs) * self.step * (1.0 if signs[0] == "+" else -1.0)
        # A tenth is what the line carries; a servo by hand outside its travel may only come back.
        goal = min(max(round(at + change, 1), travel.lower), travel.upper)
        if goal == at:
            return JogAnswer(f"{travel.channel} is at the end of its travel, {at:.1f}")
        self.positions[self.chosen] = goal
        return JogAnswer(self._about(), move=True)

    def _choose(self, name: str) -> JogAnswer:
        names = [servo.channel.partition(".")[2] for servo in self._servos]
        if name.isdecimal() and 1 <= int(name) <= len(names):
            self.chosen = int(name) - 1
        elif name in names:
            self.chosen = names.index(name)
        else:
            near = nearest_name(name, names)
            hint = f"; did you mean '{near}'?" if near else ""
            known = ", ".join(f"{number} {each}" for number, each in enumerate(names, 1))
            return JogAnswer(f"there is no servo '{name}'{hint}; there are {known}")
        return JogAnswer(self._about())

    def _list(self, _rest: str) -> JogAnswer:
        chosen, lines = self.chosen, []
        for number in range(len(self._servos)):
            self.chosen = number
            lines.append(f"{'>' if number == chosen else ' '} {number + 1} {self._about()}")
        self.chosen = chosen
        return JogAnswer("\n".join(lines))

    def _set_step(self, text: str) -> JogAnswer:
        try:
            size = float(text)
        except ValueError:
            size = math.nan
        if not SMALLEST_STEP <= size <= LARGEST_STEP:
            return JogAnswer(
                f"a step of '{text}': give a number from {SMALLEST_STEP:g} to {LARGEST_STEP:g}"
            )
        self.step = size
        return JogAnswer(f"a step is {size:g} servo units")

    def _zero(self, _rest: str) -> JogAnswer:
        return self._set(offset=self.positions[self.chosen])

    def _flip(self, _rest: str) -> JogAnswer:
        return self._set(sign=-self._servo.sign)

    def _lower(self, _rest: str) -> JogAnswer:
        return self._set(lower=self.positions[self.chosen])

    def _upper(self, _rest: str) -> JogAnswer:
        return self._set(upper=self.positions[self.chosen])

    def _set(self, **change: float) -> JogAnswer:
        try:
            changed = dataclasses.replace(self._servo, **change)  # type: ignore[arg-type]
        except ValueError as error:
            return JogAnswer(f"refused: {error}")
        self._servos[self.chosen] = changed
        return JogAnswer(self._about())

    def _save(self, _rest: str) -> JogAnswer:
        outside = [
            servo.channel
            for servo in self._servos
            if not servo.lower <= servo.offset <= servo.upper
        ]
        if outside:
            return JogAnswer(
                f"not saved: the zero of {', '.join(outside)} lies outside its limits; set `zero`, "
                "`lower` or `upper` again"
            )
        return JogAnswer("saved", save=True)

    def _quit(self, _rest: str) -> JogAnswer:
        lost = "; what was set has not been saved" if self.has_changes else ""
        return JogAnswer(f"the servos hold{lost}", quit=True)

    def _help(self, _rest: str) -> JogAnswer:
        return JogAnswer(_HELP)
