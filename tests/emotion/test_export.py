from __future__ import annotations

import csv
import io
import math

import numpy as np
import pytest

from sera.emotion import ExpressiveMotion, Features, NullSpaceProfile, export_expression
from sera.emotion.export import export_motion, rate_warnings, rms_jerk


@pytest.mark.parametrize(
    ("jerkiness", "before", "after"),
    [(1.0, 682.0, 340.0), (0.875, 580.0, 299.0), (0.0, 19.6, 19.9)],
)
def test_playback_at_peppers_rate_loses_the_jerk_that_was_computed(
    pepper: NullSpaceProfile, jerkiness: float, before: float, after: float
) -> None:
    motion = ExpressiveMotion(pepper, printed=True)
    found = export_expression(motion, Features(jerkiness, 1.0, 0.5), 30.0)
    assert found.jerk_rad_s3 == pytest.approx(before, rel=0.01)
    assert found.played_jerk_rad_s3 == pytest.approx(after, rel=0.03)
    (warning,) = found.warnings
    assert warning.startswith("jerkiness at 2.0 Hz is lost at 4.45 Hz: a period needs 2.5 samples")
    assert warning.endswith("play it at 5.0 Hz or lower the frequency")


def test_the_contrast_of_jerkiness_shrinks_with_the_rate(pepper: NullSpaceProfile) -> None:
    motion = ExpressiveMotion(pepper)
    jerky, even = (
        export_expression(motion, Features(one, 0.875, 0.5), 30.0) for one in (0.875, 0.125)
    )
    assert jerky.jerk_rad_s3 / even.jerk_rad_s3 > 6.0
    assert jerky.played_jerk_rad_s3 / even.played_jerk_rad_s3 < 7.0
    assert jerky.error_rad > 5.0 * even.error_rad
    fast = export_expression(motion, Features(0.875, 0.875, 0.5), 30.0, rate_hz=25.0)
    assert fast.played_jerk_rad_s3 == pytest.approx(fast.jerk_rad_s3, rel=0.02)
    assert fast.warnings == ()


def test_samples_are_the_motion_at_their_times(pepper: NullSpaceProfile) -> None:
    motion = ExpressiveMotion(pepper)
    features = Features(0.5, 0.8, 0.5)
    found = export_expression(motion, features, 5.0)
    assert len(found.times_s) == math.floor(5.0 * 4.45) + 1
    for t_s, row in zip(found.times_s.tolist(), found.values_rad, strict=True):
        assert row == pytest.approx(motion.pose(t_s, features))
    assert found.played(found.times_s) == pytest.approx(found.values_rad)


def test_features_may_change_over_time(pepper: NullSpaceProfile) -> None:
    motion = ExpressiveMotion(pepper)
    found = export_expression(motion, lambda t_s: Features(0.0, t_s / 4.0, 0.5), 4.0)
    assert found.values_rad[0] == pytest.approx(pepper.lowest_rad)
    assert found.played_jerk_rad_s3 > 0.0


def test_an_array_at_the_control_rate_gives_the_same_as_its_function() -> None:
    def motion(t_s: float) -> list[float]:
        return [math.sin(2.0 * t_s), 0.3 * math.cos(t_s)]

    steps = [motion(k / 100.0) for k in range(801)]
    of_array = export_motion(steps, ["a", "b"])
    of_function = export_motion(motion, ["a", "b"], duration_s=8.0)
    assert of_array.values_rad == pytest.approx(of_function.values_rad, abs=1e-6)
    assert of_array.jerk_rad_s3 == pytest.approx(of_function.jerk_rad_s3)


def test_the_naoqi_timeline_has_every_joint_at_every_sample(pepper: NullSpaceProfile) -> None:
    found = export_expression(ExpressiveMotion(pepper), Features(0.2, 0.9, 0.5), 5.0)
    timeline = found.naoqi()
    assert tuple(timeline.names) == pepper.joints
    assert timeline.is_absolute
    assert timeline.left_out == ()
    for column, (times, keys) in enumerate(zip(timeline.times, timeline.keys, strict=True)):
        # NAOqi starts from where the robot is: the first sample is left out.
        assert times == pytest.approx(found.times_s[1:], abs=1e-6)
        assert keys == pytest.approx(found.values_rad[1:, column], abs=1e-8)


def test_the_csv_file_has_degrees_and_times() -> None:
    found = export_motion(lambda t_s: [math.radians(10.0 * t_s)], ["HeadYaw"], duration_s=2.0)
    rows = list(csv.reader(io.StringIO(found.csv())))
    assert rows[0][1] == "Body.HeadYaw [deg]"
    assert len(rows) == 1 + len(found.times_s)
    assert float(rows[2][0]) == pytest.approx(1 / 4.45)
    assert float(rows[2][1]) == pytest.approx(10.0 / 4.45)


def test_jerk_is_that_of_a_sine() -> None:
    t_s = np.arange(0.0, 20.0 * math.pi, 0.01)
    assert rms_jerk(np.sin(3.0 * t_s)[:, None], 100.0) == pytest.approx(
        27.0 / math.sqrt(2.0), rel=1e-3
    )


def test_only_frequencies_that_are_too_fast_are_warned_of() -> None:
    assert rate_warnings([0.5, 1.78], 4.45) == ()
    assert len(rate_warnings([1.79, 3.0], 4.45)) == 2


@pytest.mark.parametrize(
    ("motion", "settings", "said"),
    [
        (lambda t: [t], {}, "needs a duration"),
        (lambda t: [t, t], {"duration_s": 4.0}, "1 joints"),
        (lambda t: [math.nan], {"duration_s": 4.0}, "not a finite number"),
        (lambda t: [t], {"duration_s": 0.3}, "only 2 samples"),
        (lambda t: [t], {"duration_s": 4.0, "rate_hz": 200.0}, "cannot be taken"),
        (lambda t: [t], {"duration_s": 4.0, "rate_hz": 0.0}, "cannot be taken"),
    ],
)
def test_what_cannot_be_exported_says_why(motion: object, settings: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        export_motion(motion, ["joint"], **settings)  # type: ignore[arg-type]
