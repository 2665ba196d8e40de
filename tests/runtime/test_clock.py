"""Clocks: virtual time jumps, keeps its order, refuses the outside world and names a stall."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.runtime.clock import (
    Clock,
    ScaledLoop,
    StalledError,
    VirtualLoop,
    VirtualTimeError,
    loop_factory,
    real_loop,
    real_seconds,
    run,
)
from tests.helpers import so_many


def test_an_hour_of_short_sleeps_ends_on_the_hour() -> None:
    rate_hz = so_many(5, 50)

    async def frames() -> float:
        clock = Clock.for_running_loop()
        for frame in range(1, 3600 * rate_hz + 1):
            await clock.sleep_until(frame / rate_hz)
        return clock.now()

    assert run(frames(), clock="virtual") == 3600.0


def test_virtual_time_starts_at_zero_and_stands_at_exactly_the_time_of_the_timer() -> None:
    async def main() -> list[float]:
        clock = Clock.for_running_loop()
        seen = [clock.now()]
        for delay_s in (0.1, 0.2, 1e9, 0.25):
            await asyncio.sleep(delay_s)
            seen.append(clock.now())
        return seen

    expected = [0.0, 0.1, 0.1 + 0.2, (0.1 + 0.2) + 1e9, ((0.1 + 0.2) + 1e9) + 0.25]
    assert run(main(), clock="virtual") == expected


def test_timeout_wait_for_and_queues_obey_virtual_time() -> None:
    async def main() -> list[tuple[str, float]]:
        loop = asyncio.get_running_loop()
        log = []
        queue: asyncio.Queue[str] = asyncio.Queue()
        loop.call_later(7.0, queue.put_nowait, "late")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(queue.get(), timeout=5.0)
        log.append(("gave up", loop.time()))
        log.append((await asyncio.wait_for(queue.get(), timeout=5.0), loop.time()))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(2.5):
                await asyncio.Event().wait()
        log.append(("timeout", loop.time()))
        return log

    assert run(main(), clock="virtual") == [("gave up", 5.0), ("late", 7.0), ("timeout", 9.5)]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from([0.0, 1.0, 1.5, 2.0]), max_size=60))
def test_timers_of_the_same_time_fire_in_the_order_in_which_they_were_set(
    delays_s: list[float],
) -> None:
    async def main() -> list[tuple[float, int]]:
        loop = asyncio.get_running_loop()
        fired: list[tuple[float, int]] = []
        for order, delay_s in enumerate(delays_s):
            loop.call_at(
                delay_s, lambda delay_s=delay_s, order=order: fired.append((delay_s, order))
            )
        await asyncio.sleep(3.0)
        return fired

    assert run(main(), clock="virtual") == sorted(
        (delay_s, order) for order, delay_s in enumerate(delays_s)
    )


def _busy_run() -> list[str]:
    async def main() -> list[str]:
        log: list[str] = []
        queue: asyncio.Queue[str] = asyncio.Queue()

        async def talk(name: str, period_s: float) -> None:
            try:
                for _ in range(20):
                    await asyncio.sleep(period_s)
                    await queue.put(name)
                await asyncio.sleep(1e6)
            except asyncio.CancelledError:
                log.append(f"{name} cancelled")
                raise

        async def listen() -> None:
            while True:
                log.append(f"{asyncio.get_running_loop().time():.3f} {await queue.get()}")

        tasks = [asyncio.create_task(talk(f"t{n}", 0.1 * (1 + n % 3))) for n in range(40)]
        done, _ = await asyncio.wait([*tasks, asyncio.create_task(listen())], timeout=50.0)
        # The sets below and the cancelling at the end have no fixed order in plain asyncio.
        log += [task.get_name() for task in done]
        log += [task.get_name() for task in asyncio.all_tasks()]
        return log

    log: list[str] = []

    async def outer() -> None:
        log.extend(await main())

    run(outer(), clock="virtual")
    return log


def test_repeated_runs_have_the_identical_order_of_events_task_names_and_sets() -> None:
    first = _busy_run()
    keep_addresses_moving = [object() for _ in range(1000)]
    assert len(first) > 800
    assert [_busy_run() for _ in range(3)] == [first] * 3
    del keep_addresses_moving


def test_what_is_left_at_the_end_is_cancelled_in_a_fixed_order() -> None:
    def one_run() -> list[int]:
        cancelled: list[int] = []

        async def wait_forever(number: int) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.append(number)

        async def main() -> list[asyncio.Task[None]]:
            tasks = [asyncio.create_task(wait_forever(number)) for number in range(50)]
            await asyncio.sleep(1)
            return tasks

        run(main(), clock="virtual")
        return cancelled

    first = one_run()
    assert sorted(first) == list(range(50))
    assert [one_run() for _ in range(5)] == [first] * 5


async def _to_thread() -> None:
    await asyncio.to_thread(time.sleep, 0)


async def _open_connection() -> None:
    await asyncio.open_connection("127.0.0.1", 1883)


async def _start_server() -> None:
    await asyncio.start_server(lambda _r, _w: None, "127.0.0.1", 0)


async def _start_process() -> None:
    await asyncio.create_subprocess_exec(sys.executable, "--version")


async def _start_shell() -> None:
    await asyncio.create_subprocess_shell("exit")


async def _look_up() -> None:
    await asyncio.get_running_loop().getaddrinfo("localhost", 1883)


async def _read_socket() -> None:
    near, far = socket.socketpair()
    with near, far:
        await asyncio.get_running_loop().sock_recv(near, 1)


async def _add_reader() -> None:
    near, far = socket.socketpair()
    with near, far:
        asyncio.get_running_loop().add_reader(near, print)


@pytest.mark.parametrize(
    ("reach_out", "call"),
    [
        (_to_thread, "run_in_executor"),
        (_open_connection, "create_connection"),
        (_start_server, "create_server"),
        (_start_process, "subprocess_exec"),
        (_start_shell, "subprocess_shell"),
        (_look_up, "getaddrinfo"),
        (_read_socket, "sock_recv"),
        (_add_reader, "add_reader"),
    ],
)
def test_virtual_time_refuses_threads_sockets_and_processes_by_name(reach_out, call) -> None:
    with pytest.raises(VirtualTimeError, match=rf"loop\.{call} is refused in virtual time: .*real"):
        run(reach_out(), clock="virtual")


def test_a_foreign_thread_cannot_call_into_virtual_time_but_the_own_thread_can() -> None:
    async def main() -> tuple[list[str], list[str]]:
        loop = asyncio.get_running_loop()
        own: list[str] = []
        refused: list[str] = []
        loop.call_soon_threadsafe(own.append, "own")

        def intrude() -> None:
            try:
                loop.call_soon_threadsafe(own.append, "foreign")
            except VirtualTimeError as error:
                refused.append(str(error))

        thread = threading.Thread(target=intrude)
        thread.start()
        thread.join()
        await asyncio.sleep(1)
        return own, refused

    own, refused = run(main(), clock="virtual")
    assert own == ["own"]
    assert len(refused) == 1
    assert "another thread" in refused[0]


def test_a_stall_names_the_waiting_tasks_and_where_they_wait() -> None:
    cleaned_up = []

    async def wait_for_news(queue: asyncio.Queue[str]) -> None:
        await queue.get()

    async def main() -> None:
        listener = asyncio.create_task(wait_for_news(asyncio.Queue()), name="listener")
        try:
            await asyncio.sleep(2)
            await listener
        finally:
            cleaned_up.append(True)

    with pytest.raises(StalledError) as caught:
        run(main(), clock="virtual")
    text = str(caught.value)
    assert "stands still at 2.000 s" in text
    assert len(caught.value.waiting) == 2
    assert caught.value.waiting[0].startswith("Task-1 waits at ")
    line = wait_for_news.__code__.co_firstlineno + 1
    assert f"listener waits at {__file__}:{line} in wait_for_news, in Queue.get" in text
    assert cleaned_up == [True]


def test_a_timer_that_never_comes_is_a_stall_too() -> None:
    with pytest.raises(StalledError):
        run(asyncio.sleep(float("inf")), clock="virtual")


def test_a_program_that_spins_without_letting_time_pass_is_a_stall() -> None:
    async def spin() -> None:
        while True:
            await asyncio.sleep(0)

    with (
        pytest.raises(StalledError, match=r"1000 turns.*\n.*in spin"),
        asyncio.Runner(loop_factory=lambda: VirtualLoop(turns_without_time=1000)) as runner,
    ):
        runner.run(spin())


def test_timers_that_were_cancelled_do_not_pile_up() -> None:
    async def cut_short() -> int:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        for _ in range(5_000):
            async with asyncio.timeout(3600.0):
                await asyncio.sleep(0.001)
        return len(loop._timers)

    assert run(cut_short(), clock="virtual") < 200


def test_a_timer_at_nan_is_refused() -> None:
    async def main() -> None:
        asyncio.get_running_loop().call_later(float("nan"), print)

    with pytest.raises(ValueError, match="NaN"):
        run(main(), clock="virtual")


def test_tasks_are_numbered_anew_in_every_run_and_keep_the_name_they_are_given() -> None:
    async def main() -> list[str]:
        tasks = [asyncio.create_task(asyncio.sleep(1), name=name) for name in (None, "own")]
        await asyncio.gather(*tasks)
        return [task.get_name() for task in tasks]

    assert [run(main(), clock="virtual") for _ in range(2)] == [["Task-2", "own"]] * 2


def test_a_faulty_task_ends_the_run_with_its_own_error() -> None:
    async def main() -> None:
        await asyncio.sleep(10)
        raise LookupError("own error")

    with pytest.raises(LookupError, match="own error"):
        run(main(), clock="virtual")


def test_scaled_time_runs_twenty_times_as_fast() -> None:
    async def main() -> tuple[float, float]:
        clock = Clock.for_running_loop()
        assert clock.kind == "scaled"
        # Each reading lies between two of the real clock, however long the machine pauses.
        before_s, began_s, after_s = time.perf_counter(), clock.now(), time.perf_counter()
        await clock.sleep(2.0)
        sooner_s, ended_s, later_s = time.perf_counter(), clock.now(), time.perf_counter()
        assert ended_s - began_s >= 2.0
        assert 20.0 * (sooner_s - after_s) <= ended_s - began_s + 1e-6
        assert ended_s - began_s <= 20.0 * (later_s - before_s) + 1e-6
        return began_s, after_s

    epoch_s, real_s = time.time(), time.perf_counter()
    began_s, after_s = run(main(), clock=20.0)
    assert -0.1 < began_s - epoch_s < 20.0 * (after_s - real_s) + 0.1


@pytest.mark.parametrize("clock", ["real", "virtual", 5.0])
def test_what_takes_its_time_whatever_the_speed_has_real_seconds(clock) -> None:
    async def main() -> float:
        return real_seconds(0.8)

    assert run(main(), clock=clock) == pytest.approx(4.0 if clock == 5.0 else 0.8)


def test_scaled_time_still_serves_sockets_and_threads() -> None:
    async def main() -> tuple[bytes, int]:
        async def answer(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"hello")
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        async with server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            text = await reader.read()
            writer.close()
        return text, await asyncio.to_thread(lambda: 7)

    assert run(main(), clock=50.0) == (b"hello", 7)


def test_real_time_is_seconds_since_1970_never_goes_back_and_takes_as_long_as_it_says() -> None:
    async def main() -> tuple[Clock, float, list[float]]:
        clock = Clock.for_running_loop()
        started_s = clock.now()
        await clock.sleep(0.05)
        await clock.sleep(-3.0)
        return clock, clock.now() - started_s, [clock.now() for _ in range(1000)]

    clock, slept_s, readings = run(main())
    assert clock.kind == "real"
    assert 0.045 <= slept_s < 0.5
    assert readings == sorted(readings)
    assert abs(readings[-1] - time.time()) < 1.0


def test_all_clocks_of_a_process_agree_except_for_their_skew() -> None:
    async def main() -> float:
        early, late = Clock(skew_s=0.0), Clock(skew_s=0.5)
        return late.now() - early.now()

    assert run(main()) == pytest.approx(0.5, abs=0.01)
    assert run(main(), clock="virtual") == 0.5


def test_the_real_loop_is_uvloops_where_it_is_installed_and_asyncios_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    plain = real_loop()
    plain.close()
    assert type(plain).__module__.startswith("asyncio.")
    monkeypatch.undo()
    uvloop = pytest.importorskip("uvloop")
    fast = real_loop()
    fast.close()
    assert isinstance(fast, uvloop.Loop)


@pytest.mark.parametrize("choice", ["fast", 0, -1.0, float("nan"), float("inf"), True])
def test_an_unknown_clock_is_refused_with_the_choices(choice) -> None:
    async def main() -> None: ...

    with pytest.raises(ValueError, match="'real', 'virtual', or a factor above 0"):
        run(main(), clock=choice)
    with pytest.raises(ValueError, match="unknown clock"):
        loop_factory(choice)


@pytest.mark.parametrize("factor", [0, -2, float("nan")])
def test_a_scaled_loop_refuses_a_factor_that_is_not_above_zero(factor) -> None:
    with pytest.raises(ValueError, match="above 0"):
        ScaledLoop(factor)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are POSIX only")
def test_ctrl_c_ends_a_virtual_run() -> None:
    import signal

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(5.0, signal.raise_signal, signal.SIGINT)
        await asyncio.sleep(1e9)

    with pytest.raises(KeyboardInterrupt):
        run(main(), clock="virtual")
