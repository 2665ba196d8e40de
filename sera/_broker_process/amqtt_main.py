"""The program of the fallback broker: `python -m sera._broker_process.amqtt_main`.

It ends at once when standard input ends, which is also what happens when the process that
started it dies: no broker is left behind. Warnings go to standard error, one line each.
"""

from __future__ import annotations

import argparse
import asyncio
import errno
import logging
import os
import sys
import threading
from pathlib import Path

_ADDRESS_IN_USE = "Address already in use"


def _end_with_standard_input() -> None:
    def wait() -> None:
        sys.stdin.buffer.read()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


async def _serve(arguments: argparse.Namespace) -> None:
    from sera._broker_process.amqtt_broker import FallbackBroker

    broker = FallbackBroker(
        arguments.host,
        arguments.port,
        password_file=arguments.password_file,
        max_packet_bytes=arguments.max_packet_bytes,
    )
    await broker.start()
    await asyncio.Event().wait()


def _run(arguments: argparse.Namespace) -> None:
    try:
        import uvloop
    except ImportError:
        asyncio.run(_serve(arguments))
    else:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve(arguments))


def _is_address_in_use(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            return True
        error = error.__cause__
    return False


def main() -> None:
    """Read the arguments and serve until standard input ends."""
    parser = argparse.ArgumentParser(prog="sera-fallback-broker")
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", required=True, type=int)
    parser.add_argument("--password-file", type=Path)
    parser.add_argument("--max-packet-bytes", required=True, type=int)
    arguments = parser.parse_args()
    _end_with_standard_input()
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    # amqtt prints a traceback where one line says it: what ends the start is reported below.
    logging.getLogger("amqtt").setLevel(logging.CRITICAL)
    try:
        _run(arguments)
    except Exception as error:
        sys.exit(f"Error: {_ADDRESS_IN_USE if _is_address_in_use(error) else error}")


if __name__ == "__main__":
    main()
