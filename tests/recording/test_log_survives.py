"""kill -9 of the writer costs less than a second, and a full disk costs what did not fit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sera.messages import Envelope, GazeAt, SpeechHeard
from sera.recording import LogHeader, LogReader, LogWriter

_WRITES_FOR_EVER = """
import sys, time
from sera.messages import Envelope, GazeAt, SpeechHeard
from sera.recording import LogHeader, LogWriter

writer = LogWriter(sys.argv[1], header=LogHeader(run="r"), clock_now=time.monotonic)
number = 0
while True:
    number += 1
    message = SpeechHeard(text=f"words {number}") if number % 3 == 0 else GazeAt(target="x")
    now_s = time.monotonic()
    writer.write(Envelope(message, f"a.b-1-{number}", 0.0, "a.b", "a"), now_s)
    print(number, now_s, flush=True)
    time.sleep(0.002)
"""

_FILLS_A_SMALL_DISK = """
import os, resource, sys
from sera.messages import Envelope, GazeAt
from sera.recording import LogHeader, LogReader, LogWriter

now_s = 0.0
problems = []
path, keep = sys.argv[1], int(sys.argv[2])
writer = LogWriter(path, header=LogHeader(run="r"), clock_now=lambda: now_s,
                   on_problem=problems.append)
writer._log._keep_bytes = keep
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
number = 0

def write(count):
    global now_s, number
    for _ in range(count):
        number += 1
        now_s += 0.1
        envelope = Envelope(GazeAt(target="x"), f"a.b-1-{number}", now_s, "a.b", "a")
        writer.write(envelope, now_s)

write(10)
writer.flush()
for room in (3_000, 3_011):
    size = os.stat(path).st_size + room
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    write(200)
    print(writer.lost, len(problems), os.stat(path).st_size == size)
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    write(10)
writer.close()
print(writer.lost, *problems, sep="\\n")
"""

_FILLS_A_SMALL_DISK_WITH_ORIGINALS = """
import resource, sys
from sera.messages import Envelope, SpeechHeard
from sera.recording import LogHeader, LogWriter

now_s = 0.0
writer = LogWriter(sys.argv[1], header=LogHeader(run="r"), clock_now=lambda: now_s,
                   on_problem=print)
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, hard))
for number in range(12):
    now_s += 1.0
    message = SpeechHeard(text=f"{number} " + "words " * 200)
    writer.write(Envelope(message, f"a.b-1-{number}", now_s, "a.b", "a"), now_s)
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
writer.close()
"""

needs_file_size_limits = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no limit on the size of a process's files"
)


def run(program: str, *arguments: object) -> list[str]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_kill_9_of_the_writer_loses_less_than_the_last_second_and_the_log_opens(tmp_path):
    path = tmp_path / "log.jsonl"
    process = subprocess.Popen(
        [sys.executable, "-c", _WRITES_FOR_EVER, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    last_seen = ""
    try:
        for last_seen in process.stdout:
            if int(last_seen.split()[0]) > 400:
                break
    finally:
        process.kill()
    *_, last_seen = [last_seen, *process.stdout.read().split("\n")[:-1]]
    process.wait()
    process.stdout.close()
    log = LogReader(path, restore=True)
    records = list(log)
    assert [record.id for record in records] == [f"a.b-1-{n + 1}" for n in range(len(records))]
    written, killed_at_s = int(last_seen.split()[0]), float(last_seen.split()[1])
    assert written > 400
    assert killed_at_s - records[-1].received_s < 1.0
    assert written - len(records) < 400
    assert log.damaged <= 1
    assert log.end is None
    # Every original was handed over before the line that uses it.
    texts = [record.data["text"] for record in records if record.type == "SpeechHeard"]
    assert texts == [f"words {3 * n + 3}" for n in range(len(texts))]


@needs_file_size_limits
def test_what_a_full_disk_refuses_waits_and_nothing_is_lost_when_space_returns(tmp_path):
    path = tmp_path / "log.jsonl"
    *figures, lost = run(_FILLS_A_SMALL_DISK, path, 1_000_000)[:3]
    assert figures == ["0 1 True", "0 3 True"]
    assert lost == "0"
    log = LogReader(path)
    assert [record.id for record in log] == [f"a.b-1-{n}" for n in range(1, 431)]
    assert (log.damaged, log.lost) == (0, 0)


@needs_file_size_limits
def test_what_does_not_fit_into_memory_either_is_counted_reported_and_noted(tmp_path):
    path = tmp_path / "log.jsonl"
    *_, lost, first, second, third, fourth = run(_FILLS_A_SMALL_DISK, path, 10_000)
    log = LogReader(path)
    ids = [int(record.id.rsplit("-", 1)[1]) for record in log]
    assert ids == sorted(set(ids))
    assert int(lost) > 100
    assert len(ids) == 430 - int(lost)
    assert ids[-1] == 430
    assert (log.damaged, log.lost) == (0, int(lost))
    assert first.startswith(f"cannot write {path}: File too large; free some space")
    assert second.startswith(f"{path} is written again; ")
    assert third.startswith("cannot write")
    assert fourth == f"{path} is written again; {lost} lines are lost"


@needs_file_size_limits
def test_an_original_that_was_written_by_half_is_completed_when_space_returns(tmp_path):
    path = tmp_path / "log.jsonl"
    refused, again = run(_FILLS_A_SMALL_DISK_WITH_ORIGINALS, path)
    assert "unassigned.jsonl: File too large" in refused
    assert again.endswith("unassigned.jsonl is written again; 0 lines are lost")
    texts = [record.data["text"] for record in LogReader(path, restore=True)]
    assert texts == [f"{number} " + "words " * 200 for number in range(12)]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
def test_a_disk_that_stays_full_is_reported_once_and_never_raises(tmp_path):
    problems: list[str] = []
    now_s = 0.0
    writer = LogWriter(
        "/dev/full",
        header=LogHeader(run="r"),
        clock_now=lambda: now_s,
        on_problem=problems.append,
        if_exists="append",
    )
    for _ in range(100):
        now_s += 1.0
        writer.write(Envelope(GazeAt(target="x"), "a.b-1-1", 0.0, "a.b", "a"), now_s)
    assert len(problems) == 1
    assert "No space left on device; free some space" in problems[0]
    assert writer.lost == 0
    writer.close()
    assert writer.lost == 102
    assert problems[1:] == ["/dev/full: closed with 102 lines lost"]


def test_originals_that_cannot_be_written_are_kept_until_they_can(recording):
    folder = recording.path.with_name("test.jsonl.participants")
    folder.write_text("a file is in the way of the folder")
    recording.now_s = 5.0
    recording.say(SpeechHeard(text="first"))
    recording.say(SpeechHeard(text="second"))
    assert [data["text"] for data in recording.data(restore=True)] == [
        "~unassigned.1",
        "~unassigned.2",
    ]
    assert len(recording.problems) == 1
    assert "unassigned.jsonl" in recording.problems[0]
    folder.unlink()
    assert [data["text"] for data in recording.data(restore=True)] == ["first", "second"]
    assert recording.problems[1].endswith("unassigned.jsonl is written again; 0 lines are lost")
    assert json.loads(recording.originals("unassigned").splitlines()[0])["label"] == "unassigned"
