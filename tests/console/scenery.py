"""Files that scenarios of several pages' tests have: a quick body, and buttons of their own."""

PUPPET = '''
"""Takes orders as an animation engine does, and moves nothing; a shake is over at once."""

from sera import Module, on
from sera.messages import AnimationFinished, EngineState, PlayAnimation, SetEmotion
from sera.messages import SetFace, SetPosture, StopAnimation
from sera.runtime import Role


class Puppet(Module):
    role = Role.REALISATION

    async def start(self) -> None:
        await self.publish(EngineState(program="puppet", posture="neutral"))

    @on(SetPosture)
    async def stand(self, message: SetPosture) -> None:
        await self.publish(EngineState(program="puppet", posture=message.posture))

    @on(PlayAnimation)
    async def play(self, message: PlayAnimation, envelope) -> None:
        if message.animation == "shake":
            done = AnimationFinished(animation="shake", action=envelope.id, duration_s=0.1)
            await self.publish(done)

    @on(StopAnimation, SetFace, SetEmotion)
    async def take(self, message) -> None:
        pass
'''
LAYOUT = """
[[panels]]
title = "Lesson"
[[panels.groups]]
title = "Praise"
[[panels.groups.buttons]]
label = "Well done"
key = "Alt+1"
colour = "good"
send = "PerformUtterance"
with = { category = "praise" }
[[panels.groups.buttons]]
label = "Send home"
colour = "bad"
send = "PerformUtterance"
with = { category = "goodbye" }
confirm = true
[[panels.groups.buttons]]
label = "Grade"
send = "PerformUtterance"
with = { line = "g2" }
locked_for = ["wizard"]
"""
