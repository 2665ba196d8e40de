"""Starts a program that must not outlive the process that asked for it, even after `kill -9`.

Called as `python -I -S hold.py MODE PARENT_PID PROGRAM ARGUMENT…`; it imports nothing but the
standard library, so that it costs a few hundredths of a second.

`signal` (Linux)
    The kernel is asked to kill this process when its parent dies; then this process *becomes*
    the program, so nothing stays in between and the process id is the program's.
`watch` (everywhere else)
    The program runs as a child, its process id is the first line on standard output, and it is
    killed when standard input ends, which the operating system sees to when the parent dies.
    If this watcher itself is killed with `kill -9`, the program stays behind; whoever started
    the watcher knows the process id and ends it before starting another.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

_PR_SET_PDEATHSIG = 1
_FAILED = 127


def become_with_parent_death_signal(parent_pid: int, command: list[str]) -> None:
    """Ask for SIGKILL at the parent's death, then turn into the program."""
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        sys.exit(f"the kernel refused the parent-death signal: {os.strerror(ctypes.get_errno())}")
    if os.getppid() != parent_pid:
        # The parent died before the kernel knew of our wish.
        sys.exit(_FAILED)
    os.execv(command[0], command)  # noqa: S606


def run_until_input_ends(command: list[str]) -> int:
    """Run the program as a child and kill it when standard input ends."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    print(child.pid, flush=True)

    def kill_at_end_of_input() -> None:
        sys.stdin.buffer.read()
        child.kill()

    threading.Thread(target=kill_at_end_of_input, daemon=True).start()
    code = child.wait()
    return code if code >= 0 else 128 - code


def main() -> None:
    """Read the arguments and hold the program in the wanted way."""
    mode, parent_pid, *command = sys.argv[1:]
    if mode == "signal":
        become_with_parent_death_signal(int(parent_pid), command)
    # A daemon thread may still be reading standard input: leave without waiting for it.
    os._exit(run_until_input_ends(command))


if __name__ == "__main__":
    main()
