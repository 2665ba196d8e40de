"""What `sera new` writes. `$name` and its like are filled in by `string.Template`."""

from __future__ import annotations

MODULE = '''\
"""$title: say here in one line what the module does; `sera list modules` shows it."""

from __future__ import annotations

from sera import Module, on
from sera.messages import PerformUtterance, PersonDetected


class $class_name(Module):
    """Greets whoever arrives, after a short pause."""

    class Settings(Module.Settings):
        """What a scenario file may set: `greeting = "Good morning"` in the module's table."""

        greeting: str = "Hello!"
        """What is said to somebody who arrives."""
        pause_s: float = 0.5
        """How long to wait before speaking. Units stand in the names."""

    async def start(self) -> None:
        # Called once before any message. Open devices and read files here.
        self.greeted = 0

    @on(PersonDetected)
    async def greet(self, message: PersonDetected) -> None:
        # Called for every PersonDetected, one message at a time. `sera messages` lists all types.
        # self.clock is the clock of the run (real or simulated), self.random its random source.
        await self.clock.sleep(self.settings.pause_s)
        self.greeted += 1
        self.log.info("greeting %s", message.person)
        await self.publish(PerformUtterance(text=self.settings.greeting))

    async def stop(self) -> None:
        # Called once at the end. Close here what `start` opened.
        self.log.info("greeted %d", self.greeted)
'''

MODULE_README = """\
# $title

A module of SERA. It greets whoever arrives; change `__init__.py` until it does what you need.

Use it in a scenario:

```toml
[characters.ada.modules.$name]
greeting = "Good morning!"
pause_s = 1.0
```

Or run it alone against a broker that is running already, also on another machine:

```
sera module run $name --character ada --broker mqtt://HOST:1883
```
"""

WORKSPACE_MARKER = """\
# This file marks the folder as a SERA workspace. What is in modules/, robots/ and scenarios/ here
# is found before the built-in things of the same name. The file itself may stay empty.
"""

WORKSPACE_IGNORE = """\
__pycache__/
*.pyc
# Recordings hold personal data; keep them out of git.
recordings/
# Passwords of brokers.
*.password
"""

WORKSPACE_README = """\
# $title

A SERA workspace: your own modules, robots and scenarios, beside the built-in ones.

```
sera run first              # runs scenarios/first
sera run first --virtual    # the same in simulated time, done at once
sera list modules           # yours and the built-in ones
sera new module NAME        # a module to start from
sera new scenario NAME      # a copy of the built-in scenario `hello`
sera new robot NAME --urdf FILE
sera doctor                 # what is missing on this machine, and the fix
```

- `modules/welcome/` reacts to people. Each folder in `modules/` is one module and has an
  `__init__.py`; `modules/` itself must not have one, it would hide the built-in modules.
- `scenarios/first/` puts it on stage with a simulated visitor and a simulated voice.
"""

FIRST_SCENARIO = """\
# A scenario says who is on stage. `sera run first` runs this one.

[scenario]
title = "First"
description = "A simulated visitor comes, is greeted, and leaves."
seed = 1
duration_s = 30.0                 # the end, if no module ends it before

[characters.ada]                  # a character without a robot; add robot = "adelino" for one

[characters.ada.modules.welcome]  # modules/welcome/ of this workspace
greeting = "Hello, nice to see you!"

[characters.ada.modules.voice]    # a class in a file beside this one
module = "./stage.py:Voice"

[modules.visitor]                 # a module of the world: it belongs to no character
module = "./stage.py:Visitor"
stays_s = 3.0

[people.visitor]
position_m = [0.0, 1.6, 1.5]      # metres: to the left, up, forward
"""

FIRST_STAGE = '''\
"""What stands in for the real world in this scenario: a visitor and a voice."""

from __future__ import annotations

from sera import Module, on
from sera.messages import (
    Envelope,
    PerformUtterance,
    PersonDetected,
    PersonLost,
    Position,
    UtteranceFinished,
    UtteranceStarted,
)
from sera.runtime.module import Role


class Visitor(Module):
    """A simulated person who comes, stays and leaves; then the run is over."""

    role = Role.PERCEPTION

    class Settings(Module.Settings):
        """When the visitor comes and goes."""

        comes_after_s: float = 1.0
        stays_s: float = 3.0

    async def run(self) -> None:
        await self.clock.sleep(self.settings.comes_after_s)
        place = Position(x_m=0.0, y_m=1.6, z_m=1.5)
        await self.publish(PersonDetected(person="visitor", position=place))
        await self.clock.sleep(self.settings.stays_s)
        await self.publish(PersonLost(person="visitor"))
        await self.end_run("the visitor has left")


class Voice(Module):
    """A simulated voice: it takes as long as speaking would and says so."""

    role = Role.REALISATION

    class Settings(Module.Settings):
        """How fast it speaks."""

        words_per_s: float = 3.0

    @on(PerformUtterance)
    async def speak(self, message: PerformUtterance, envelope: Envelope) -> None:
        text = message.text or message.category or ""
        duration_s = len(text.split()) / self.settings.words_per_s
        self.log.info("says: %s", text)
        await self.publish(UtteranceStarted(utterance=envelope.id, text=text))
        await self.clock.sleep(duration_s)
        await self.publish(UtteranceFinished(utterance=envelope.id, duration_s=duration_s))
'''

PAN_TILT = """\
# The body of $title: a head that pans and tilts. Lengths are in metres and angles in degrees. Y is
# up, the robot faces +Z.

[robot]
title = "$title"
description = "A head that pans and tilts."
eyes_m = [0.0, 0.3, 0.0]    # to its left, up, forward, in the neutral pose
stop = "hold"               # what an emergency stop means: hold, compliant or rest
rate_hz = 50.0

# The joints go from root to end. The zero pose is neutral.

[[joints]]
name = "pan"
axis = "y"
length_m = 0.10
lower_deg = -90.0
upper_deg = 90.0
neutral_deg = 0.0
max_velocity_deg_s = 180.0

[[joints]]
name = "tilt"
axis = "-x"                 # positive looks up
length_m = 0.10
lower_deg = -45.0
upper_deg = 45.0
neutral_deg = 0.0
max_velocity_deg_s = 180.0

# Two lights for eyes, which shine while the robot is awake.

[[lights]]
name = "left_eye"
neutral = 0.6               # there is room to shine more, and to blink
max_velocity = 20.0         # of its range a second

[[lights]]
name = "right_eye"
neutral = 0.6
max_velocity = 20.0

[[end_points]]
name = "face"
joint = "tilt"
offset_m = [0.0, 0.10, 0.0]

# The posture is held while the face looks where it is told.
[[ik]]
name = "gaze"
end_point = "face"
aims = "Gazing"
face = "z"

# What generic channels do, so that animations of other bodies play here too. A turn about +Y is
# to the left, and Gazing.Horizontal counts to the right.

[[enslaving]]
channel = "Gazing.Horizontal"
method = "weights"
to = { pan = -1.0 }

[[enslaving]]
channel = "Gazing.Vertical"
method = "weights"
to = { tilt = 1.0 }

[[enslaving]]
channel = "Torso.Lean"
method = "weights"
to = { tilt = -1.0 }

[[enslaving]]
channel = "Torso.Twist"
method = "weights"
to = { pan = -1.0 }

# As bright as is asked for; 0.6, the brightness at rest, unless something is.
[[enslaving]]
channel = "Lights.Left"
method = "curve"
to = { left_eye = [[0.0, 0.0], [1.0, 1.0]] }

[[enslaving]]
channel = "Lights.Right"
method = "curve"
to = { right_eye = [[0.0, 0.0], [1.0, 1.0]] }

# A body without lids blinks with its lights.
[[enslaving]]
channel = "Eyes.LeftLid"
method = "curve"
to = { left_eye = [[0.0, 1.0], [1.0, 0.0]] }

[[enslaving]]
channel = "Eyes.RightLid"
method = "curve"
to = { right_eye = [[0.0, 1.0], [1.0, 0.0]] }

[rest]
pan = 0.0
tilt = 0.0

# How the robot is reached; a bridge.py beside this file is another way.
[connection]
kind = "simulated"
"""

ROBOT_README = """\
# $title

A robot of SERA. Its gaze is carried by $gaze. Nothing has to be edited before it moves in
simulation:

```
sera robot show $name --draw $name.png   # joints, channels, limits, and a drawing
sera run hello --robot $name             # it looks at who comes
```
$remarks
Check in `body.toml` before a real robot moves:
1. **Neutral** (`neutral_deg`): the pose of the drawing. It must be safe, and far from the table.
2. **Face**: the end point of `[[ik]]` must look straight ahead in it. In a URDF that is the link
   at the end of the file: x forwards, z up; turn it by `rpy` of its joint.
3. **Signs**: Gazing.Horizontal is positive to the robot's right, Gazing.Vertical upwards; a wrong
   way is a wrong sign in `[[enslaving]]`, or an axis of the URDF that is not the motor's.
4. **Limits**: degrees, and degrees a second. What the URDF does not say was set cautiously; they
   stand in the URDF as well, which the inverse kinematics obeys: change both.
5. **Stop**: `hold` keeps the pose; an arm with brakes may prefer `rest`.

Then add what the robot is to express:
- `postures/NAME.toml` and `animations/NAME.toml` beside this file hold postures and animations,
  over generic channels (`sera robot show`) or the robot's own (`Body.JOINT`); those that all robots
  share play already. `sera animation check` says where one breaks the limits.
- `bridge.py` beside this file reaches the hardware: a function
  `make_bridge(body, settings, clock) -> Bridge` (`sera.animation.output.Bridge`), where `settings`
  is the table `[connection]`. Until there is one, `kind = "simulated"` stands in for it.
"""
