"""The bridge to robots whose servos hang on an Arduino: Adelino, Keepon and their like.

Design overview: frames become MOVE on the serial line (`serial_board` documents it) and are not
waited for; orders that matter (stop, release, rest) are repeated until the board acknowledges them,
and measuring asks for positions. One task reads the line and wakes whoever waits for that answer.
A board that acknowledges nothing any more counts as lost, even where its cable is fine; so does one
that follows no longer although nobody stopped it, because it has restarted and forgot its pose.

Opening a serial port restarts most Arduinos, hence the patience of the first HELLO.

Units and frames: channels' own units outside, servo units on the line, see `servo_map`.
Threading: one event loop.
Safety: STOP goes out at once, ahead of nothing but the frame under way. An order that was given
earlier and waits for its answer is not repeated after a later one: it would undo a stop. The board
itself holds when nothing comes for half a second.
"""

from __future__ import annotations

import asyncio
import math

from sera.animation.output.bridge import (
    BodyReading,
    Bridge,
    BridgeDescription,
    BridgeLost,
    Clock,
    OutputFrame,
    StopMeans,
)
from sera.animation.output.serial_board import (
    PROTOCOL_VERSION,
    BoardState,
    FrameDecoder,
    FrameKind,
    SerialFrame,
    encode,
    pack_move,
    unpack_positions,
)
from sera.animation.output.servo_map import BoardLayout
from sera.animation.output.transport import Transport

_ATTEMPTS = 4
_MOST_UNANSWERED = 25
"""Frames without a sign of life, half a second at 50 Hz, after which a board counts as lost."""
_GAP_S = 0.02
"""Silence within a frame after which its start byte was a false one."""


class _Overtaken(Exception):
    """A later order has been given; this one is not repeated."""


class ArduinoBridge(Bridge):
    """A robot behind a serial board.

    Args:
        layout: servos and lights in the board's order, calibrated for this unit.
        transport: the way to the board.
        clock: seconds.
        reply_timeout_s: how long one answer may take.
        hello_timeout_s: how long the board may take to start up.
    """

    def __init__(
        self,
        layout: BoardLayout,
        transport: Transport,
        clock: Clock,
        *,
        reply_timeout_s: float = 0.1,
        hello_timeout_s: float = 4.0,
    ) -> None:
        self._layout = layout
        self._transport = transport
        self._clock = clock
        self._reply_timeout_s = reply_timeout_s
        self._hello_timeout_s = hello_timeout_s
        self._answer_bytes = {
            FrameKind.ACKNOWLEDGE: 1,
            FrameKind.MEASURED: 1 + 2 * len(layout.servos),
            FrameKind.WELCOME: 3,
        }
        self._decoder = FrameDecoder(self._answer_bytes)
        self._reader: asyncio.Task[None] | None = None
        self._waiting: dict[int, asyncio.Future[SerialFrame]] = {}
        self._sequence = 0
        self._unanswered = 0
        self._orders = 0
        self._should_follow = False
        self._lost: str | None = "the board is not connected"
        self._servos = [servo.to_servo(0.0) for servo in layout.servos]
        self._lights = [0.0] * len(layout.lights)

    @property
    def decoder(self) -> FrameDecoder:
        """For its counts of skipped bytes and bad checks."""
        return self._decoder

    def describe(self) -> BridgeDescription:
        servos = tuple(servo.channel for servo in self._layout.servos)
        return BridgeDescription(
            kind="arduino",
            where=self._transport.where,
            channels=servos + self._layout.lights,
            measures=True,
        )

    async def connect(self) -> None:
        await self._disconnect()
        await self._transport.open()
        self._decoder = FrameDecoder(self._answer_bytes)
        self._unanswered = 0
        self._orders += 1  # what was ordered over the old line is not repeated over the new one
        self._should_follow = False
        self._lost = None
        self._reader = asyncio.ensure_future(self._read_on())
        try:
            attempts = max(1, math.ceil(self._hello_timeout_s / self._reply_timeout_s))
            version = bytes((PROTOCOL_VERSION,))
            welcome = await self._ask(FrameKind.HELLO, FrameKind.WELCOME, version, attempts)
            self._check_welcome(welcome.payload)
            # Frames may be partial, so the whole pose is known from the beginning.
            self._servos = list((await self._measure())[1])
        except BaseException:
            await self._disconnect()
            raise

    async def animate(self, frame: OutputFrame) -> None:
        self._require_line()
        if self._unanswered >= _MOST_UNANSWERED:
            self._lost = f"the board on {self._transport.where} answers no longer"
            self._require_line()
        for index, servo in enumerate(self._layout.servos):
            value = frame.values.get(servo.channel, math.nan)
            if math.isfinite(value):
                self._servos[index] = servo.to_servo(value)
        for index, light in enumerate(self._layout.lights):
            value = frame.values.get(light, math.nan)
            if math.isfinite(value):
                self._lights[index] = value
        self._unanswered += 1
        await self._write(FrameKind.MOVE, pack_move(self._servos, self._lights))

    async def heartbeat(self) -> BodyReading:
        state, positions = await self._measure()
        stiff = 0.0 if state in {BoardState.LIMP, BoardState.RESTS} else 1.0
        servos = self._layout.servos
        joints = {
            servo.channel: servo.to_channel(position)
            for servo, position in zip(servos, positions, strict=True)
        }
        joints.update(zip(self._layout.lights, self._lights, strict=True))
        return BodyReading(
            time_s=self._clock(),
            joints=joints,
            stiffness={servo.channel: stiff for servo in servos},
        )

    async def stop(self, reason: str, means: StopMeans = StopMeans.HOLD) -> None:
        del reason  # the board has no place to show it
        limp = bytes((int(means is StopMeans.COMPLIANT),))
        await self._order(FrameKind.STOP, limp)

    async def release(self) -> None:
        self._should_follow = await self._order(FrameKind.RELEASE)
        # Frames may be partial: what they leave out stays where the body is now.
        self._servos = list((await self._measure())[1])

    async def rest(self) -> None:
        await self._order(FrameKind.REST)

    async def close(self) -> None:
        await self._disconnect()

    async def _measure(self) -> tuple[int, tuple[float, ...]]:
        answer = await self._ask(FrameKind.MEASURE, FrameKind.MEASURED)
        return answer.payload[0], unpack_positions(answer.payload[1:])

    async def _order(self, kind: FrameKind, payload: bytes = b"") -> bool:
        """Tell the board until it acknowledges; False where a later order has taken over."""
        self._orders += 1
        number = self._orders
        self._should_follow = False
        try:
            await self._ask(kind, FrameKind.ACKNOWLEDGE, payload, order=number)
        except _Overtaken:
            return False
        return number == self._orders

    async def _ask(
        self,
        kind: FrameKind,
        answer_kind: FrameKind,
        payload: bytes = b"",
        attempts: int = _ATTEMPTS,
        *,
        order: int | None = None,
    ) -> SerialFrame:
        """Send until the right answer comes; each attempt has a sequence of its own."""
        for _ in range(attempts):
            if order is not None and order != self._orders:
                raise _Overtaken
            self._require_line()
            answer: asyncio.Future[SerialFrame] = asyncio.get_running_loop().create_future()
            sequence = self._next_sequence()
            self._waiting[sequence] = answer
            try:
                await self._write(kind, payload, sequence)
                async with asyncio.timeout(self._reply_timeout_s):
                    frame = await answer
            except TimeoutError:
                continue
            finally:
                self._waiting.pop(sequence, None)
            if frame.kind is answer_kind:
                return frame
        raise BridgeLost(f"the board on {self._transport.where} does not answer")

    async def _write(self, kind: FrameKind, payload: bytes, sequence: int | None = None) -> None:
        number = self._next_sequence() if sequence is None else sequence
        try:
            await self._transport.write(encode(SerialFrame(kind, number, payload)))
        except BridgeLost as error:
            self._lost = str(error)
            raise

    def _next_sequence(self) -> int:
        self._sequence = (self._sequence + 1) & 0xFF
        return self._sequence

    async def _read_on(self) -> None:
        """Hear the board until the line breaks."""
        decoder = self._decoder
        try:
            while True:
                try:
                    async with asyncio.timeout(_GAP_S if decoder.is_waiting else None):
                        frames = decoder.feed(await self._transport.read())
                except TimeoutError:
                    frames = decoder.give_up_waiting()
                for frame in frames:
                    self._hear(frame)
        except BridgeLost as error:
            self._lost = str(error)
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(BridgeLost(str(error)))

    def _hear(self, frame: SerialFrame) -> None:
        self._unanswered = 0
        answer = self._waiting.get(frame.sequence)
        if answer is not None:
            if not answer.done():
                answer.set_result(frame)
        elif (
            self._should_follow
            and frame.kind is FrameKind.ACKNOWLEDGE
            and frame.payload[0] != BoardState.FOLLOWS
        ):
            # Only a restart does that: the pose is unknown, so connecting begins anew.
            self._lost = f"the board on {self._transport.where} has restarted"

    def _check_welcome(self, payload: bytes) -> None:
        expected = (PROTOCOL_VERSION, len(self._layout.servos), len(self._layout.lights))
        if tuple(payload) != expected:
            raise BridgeLost(
                f"the board on {self._transport.where} says (version, servos, lights) "
                f"{tuple(payload)} where '{self._layout.robot}' has {expected}; is it another "
                "robot?"
            )

    def _require_line(self) -> None:
        if self._lost is not None:
            raise BridgeLost(self._lost)

    async def _disconnect(self) -> None:
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)
        self._lost = "the board is not connected"
        await self._transport.close()
