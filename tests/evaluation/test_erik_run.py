"""ERIK's evaluation as a long job: interrupted, killed, continued, never mixed up."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sera.evaluation.erik.jobs import Job, Wish, chunk_of, journal_path
from sera.evaluation.erik.journal import Journal, OtherSettings
from sera.evaluation.erik.report import gather
from sera.evaluation.erik.run import run
from sera.evaluation.erik.tally import Tally
from tests.helpers import wait_until

WISH = Wish(skeletons=("A",), sample=1250, floor=130)
TIMES = ("wall_s", "cpu_s", "quickest_s", "slowest_s")

SLOW = """
import sys, time
from pathlib import Path
from sera.evaluation.erik.jobs import Wish
from sera.evaluation.erik.run import run

def watch(progress):
    if progress.done >= 600:
        time.sleep(600)  # killed here

run(Wish(skeletons=("A",), sample=1250, floor=130).jobs(), Path(sys.argv[1]), watch)
"""


def without_times(folder: Path) -> list[dict]:
    findings = gather(WISH.jobs(), folder, {})
    tallies = [tally.as_dict() for tally in findings.tallies.values()]
    for tally in tallies:
        for name in TIMES:
            del tally[name]
    return [*tallies, *(vars(floor) for floor in findings.floors.values())]


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """The folder of a run that nobody interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    run(WISH.jobs(), folder)
    return folder


@pytest.fixture(scope="module")
def uninterrupted(whole: Path) -> list[dict]:
    return without_times(whole)


@pytest.fixture
def finished(whole: Path, tmp_path: Path) -> Path:
    """A folder of its own with all that the run found."""
    return Path(shutil.copytree(whole, tmp_path / "finished"))


def chunk_lines(folder: Path) -> int:
    files = [journal_path(folder, job) for job in WISH.jobs()]
    return sum(len(path.read_bytes().splitlines()) - 1 for path in files if path.exists())


def test_a_run_that_was_killed_goes_on_and_ends_with_the_same_figures(tmp_path, uninterrupted):
    child = subprocess.Popen([sys.executable, "-c", SLOW, str(tmp_path)])
    wait_until(lambda: chunk_lines(tmp_path) >= 3 or child.poll() is not None)
    assert child.poll() is None
    child.kill()
    child.wait()
    done = chunk_lines(tmp_path)
    assert done == 3
    heard = []
    run(WISH.jobs(), tmp_path, heard.append)
    assert heard[0].done == 750
    assert heard[-1].done == heard[-1].total == 1380
    assert heard[-1].left_s == 0.0
    assert without_times(tmp_path) == uninterrupted


def test_the_long_search_is_a_floor_below_what_the_solver_finds(whole):
    (floor,) = gather(WISH.jobs(), whole, {}).floors.values()
    assert floor.samples == 130
    assert floor.solver_better < 13
    assert 0.0 < floor.floor_total <= floor.solver_total + 1e-9 < 1.1 * floor.floor_total


def test_half_a_line_at_the_end_is_taken_off_and_its_chunk_done_again(finished, uninterrupted):
    path = journal_path(finished, WISH.jobs()[0])
    path.write_bytes(path.read_bytes()[:-40])
    run(WISH.jobs(), finished)
    assert without_times(finished) == uninterrupted
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_a_finished_run_solves_nothing_again(finished):
    before = journal_path(finished, WISH.jobs()[0]).read_bytes()
    run(WISH.jobs(), finished)
    assert journal_path(finished, WISH.jobs()[0]).read_bytes() == before


def test_a_stop_by_the_user_keeps_what_is_done(tmp_path, uninterrupted):
    def stop(progress) -> None:
        if progress.done >= 500:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(WISH.jobs(), tmp_path, stop)
    assert chunk_lines(tmp_path) == 2
    run(WISH.jobs(), tmp_path)
    assert without_times(tmp_path) == uninterrupted


def test_results_of_other_settings_are_refused_in_one_sentence(finished):
    other = Wish(skeletons=("A",), sample=1250, seed=7)
    with pytest.raises(OtherSettings, match=r"other settings \(seed 0 there and 7 here\): go on"):
        run(other.jobs(), finished)


def test_more_can_be_asked_of_the_same_folder_later(tmp_path):
    run(Wish(skeletons=("A",), sample=300).jobs(), tmp_path)
    both = Wish(skeletons=("A",), sample=300, methods=("optimal", "published"), floor=20)
    run(both.jobs(), tmp_path)
    findings = gather(both.jobs(), tmp_path, {})
    assert [tally.samples for tally in findings.tallies.values()] == [300, 300]
    assert [floor.samples for floor in findings.floors.values()] == [20]


def test_a_file_that_is_no_journal_is_left_alone(tmp_path):
    (tmp_path / "A.jsonl").write_text("my shopping list\n")
    with pytest.raises(OtherSettings, match="no file of this evaluation"):
        Journal(tmp_path / "A.jsonl", {"seed": 0})
    assert (tmp_path / "A.jsonl").read_text() == "my shopping list\n"


def test_a_spoiled_line_costs_its_chunk_only(tmp_path):
    path = tmp_path / "x.jsonl"
    journal = Journal(path, {"seed": 0})
    for number in range(3):
        journal.add(number, {"value": number})
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(lines[0] + lines[1] + "\0\0\0\n" + lines[3])
    assert Journal(path, {"seed": 0}).chunks == {0: {"value": 0}, 2: {"value": 2}}


def test_chunks_cover_a_job_without_gap_or_overlap():
    for samples in (1, 249, 250, 5_001, 999_999, 28_830_501):
        job = Job("optimal", "erik", "C", samples, 0, chunk_of(samples))
        bounds = [job.bounds(chunk) for chunk in range(job.chunks)]
        assert bounds[0][0] == 0
        assert bounds[-1][1] == samples
        assert all(before[1] == after[0] for before, after in itertools.pairwise(bounds))


def test_merged_tallies_are_those_of_all_samples_together():
    source = np.random.default_rng(4)
    orientation, posture = source.uniform(0.0, 0.3, (2, 1000)) ** 2
    iterations = source.integers(1, 9, 1000)
    whole, merged = Tally(), Tally()
    whole.add(orientation, posture, iterations)
    for part in np.array_split(np.arange(1000), 7):
        tally = Tally()
        tally.add(orientation[part], posture[part], iterations[part])
        tally.took(1.0, 2.0)
        merged.merge(Tally.from_dict(json.loads(json.dumps(tally.as_dict()))))
    combined = orientation + posture
    column = merged.columns["combined"]
    assert column.samples == 1000
    assert column.mean == pytest.approx(combined.mean())
    assert column.deviation == pytest.approx(combined.std())
    assert (column.least, column.most) == (combined.min(), combined.max())
    assert column.above_threshold == np.count_nonzero(combined > 0.04)
    assert column.bins == whole.columns["combined"].bins
    assert column.histogram().sum() == 1000
    moments = merged.iteration_moments()
    assert moments[:2] == (iterations.min(), iterations.max())
    assert moments[2:] == pytest.approx((iterations.mean(), iterations.std()))
    assert (merged.wall_s, merged.cpu_s) == (7.0, 14.0)
