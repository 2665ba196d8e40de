"""The blend of a block's rows: equal to the plain operators, finite, owned, and quick."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.animation.channels import ChannelSpec
from sera.animation.frame import (
    Blend,
    BlendMode,
    ChannelLayout,
    FrameBlock,
    FrameBuffer,
    Ignored,
    Owner,
    add,
    blend,
    clamp_rows,
    override,
)

ROWS, CHANNELS = 6, 5
LAYOUT = ChannelLayout(
    [
        ChannelSpec(name=f"Body.j{at}", lower=-2.0, upper=2.0, neutral=0.1 * at)
        for at in range(CHANNELS)
    ]
)
SEEDS = st.integers(0, 2**32 - 1)


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    """Compiling is no part of the time that a property has for one example."""
    run_frame(filled_with(8, 30))


def random_blend(seed: int, *, opaque: bool = False) -> Blend:
    """Layers of random values, masks, speeds, opacities and modes in a random order."""
    rng = np.random.default_rng(seed)
    block = FrameBlock(LAYOUT, ROWS)
    shape = block.values.shape
    block.values[:] = rng.normal(size=shape)
    block.masks[:] = rng.random(shape) < 0.6
    block.speeds[:] = rng.uniform(0.0, 3.0, shape)
    block.speed_masks[:] = rng.random(shape) < 0.4
    if not opaque:
        block.passthrough[:] = rng.choice([0.0, 1.0, 0.5, rng.random()], shape)
        block.layer_weights[:] = rng.choice([0.0, 1.0, rng.random()], ROWS)
    blended = Blend(block, rng.permutation(ROWS)[: rng.integers(0, ROWS + 1)].tolist())
    blended.modes[:] = rng.integers(0, 2, ROWS)
    return blended


def row_in_full(block: FrameBlock, row: int) -> FrameBuffer:
    return FrameBuffer.on_row(block, row).clone()


@given(SEEDS)
def test_the_kernels_do_what_the_plain_operator_does(seed):
    blended = random_blend(seed)
    block = blended.block
    plain = FrameBuffer(LAYOUT)
    for row in blended.order:
        layer = FrameBuffer.on_row(block, row)
        plain = blend(plain, layer, BlendMode(blended.modes[row]), float(block.layer_weights[row]))
    assert blended.run() == 0
    assert blended.mask.tolist() == plain.block.masks[0].tolist()
    assert blended.speed_mask.tolist() == plain.block.speed_masks[0].tolist()
    assert blended.speeds == pytest.approx(plain.block.speeds[0], rel=1e-13)
    expected = np.where(blended.mask, plain.block.values[0], blended.base)
    assert blended.values == pytest.approx(expected, rel=1e-13, abs=1e-15)


@given(SEEDS)
def test_layers_in_full_on_an_active_base_are_the_published_operators(seed):
    blended = random_blend(seed, opaque=True)
    plain = FrameBuffer(LAYOUT)
    for column in range(CHANNELS):
        plain.set_value(column, float(blended.base[column]))
    for row in blended.order:
        operator = override if blended.modes[row] == BlendMode.OVERRIDE else add
        plain = operator(plain, row_in_full(blended.block, row))
    blended.run()
    assert blended.values == pytest.approx(plain.block.values[0], rel=1e-13, abs=1e-15)
    assert blended.speeds == pytest.approx(plain.block.speeds[0], rel=1e-13)


@given(SEEDS)
def test_shares_sum_to_one_wherever_a_layer_contributed(seed):
    blended = random_blend(seed)
    blended.run()
    assert (blended.shares >= 0.0).all()
    assert blended.shares.sum(axis=0) == pytest.approx(blended.mask.astype(float), abs=1e-12)
    for column in range(CHANNELS):
        owners = blended.owners(column)
        assert bool(owners) is bool(blended.mask[column])
        assert list(owners) == sorted(owners, key=lambda owner: -owner.share)


@given(SEEDS, st.integers(0, ROWS - 1))
def test_a_layer_of_weight_nothing_changes_nothing(seed, row):
    blended = random_blend(seed)
    blended.block.layer_weights[row] = 0.0
    blended.run()
    values, shares, speeds = blended.values.copy(), blended.shares.copy(), blended.speeds.copy()
    blended.set_order([kept for kept in blended.order if kept != row])
    blended.run()
    assert np.array_equal(values, blended.values)
    assert np.array_equal(shares, blended.shares)
    assert np.array_equal(speeds, blended.speeds)


@given(SEEDS)
def test_an_override_in_full_owns_everything(seed):
    blended = random_blend(seed)
    block = blended.block
    top = ROWS - 1
    block.masks[top], block.passthrough[top], block.layer_weights[top] = 1, 1.0, 1.0
    blended.set_mode(top, BlendMode.OVERRIDE)
    blended.set_order([*(row for row in blended.order if row != top), top])
    blended.run()
    assert np.array_equal(blended.values, block.values[top])
    for name in LAYOUT.names:
        assert blended.owners(name) == (Owner(top, 1.0),)


def layered(*layers: tuple[BlendMode, float, float]) -> Blend:
    """Layers of (mode, weight, value) on the first channel."""
    block = FrameBlock(LAYOUT, len(layers))
    blended = Blend(block)
    for row, (mode, weight, value) in enumerate(layers):
        blended.set_mode(row, mode)
        block.layer_weights[row] = weight
        FrameBuffer.on_row(block, row).set_value(0, value)
    blended.run()
    return blended


ADD, OVER = BlendMode.ADD, BlendMode.OVERRIDE


@pytest.mark.parametrize(
    ("layers", "value", "shares"),
    [
        ([(OVER, 1.0, 0.8)], 0.8, [1.0]),
        ([(OVER, 0.25, 0.8)], 0.2, [1.0]),
        ([(OVER, 1.0, 0.8), (OVER, 0.25, 0.0)], 0.6, [0.75, 0.25]),
        ([(OVER, 1.0, 0.5), (ADD, 1.0, 0.25)], 0.75, [0.5, 0.5]),
        ([(OVER, 1.0, 0.5), (ADD, 1.0, 0.25), (ADD, 1.0, 0.25)], 1.0, [1 / 3] * 3),
        ([(OVER, 1.0, 1.0), (ADD, 1.0, 1.0), (OVER, 0.5, 0.0)], 1.0, [0.25, 0.25, 0.5]),
        ([(ADD, 0.5, 1.0), (OVER, 0.5, 1.0)], 0.75, [1 / 3, 2 / 3]),
        ([(ADD, 1.0, 1.0), (OVER, 1.0, 0.5)], 0.5, [0.0, 1.0]),
    ],
)
def test_values_and_shares_of_small_stacks_are_known(layers, value, shares):
    blended = layered(*layers)
    assert blended.values[0] == pytest.approx(value, abs=1e-15)
    assert blended.shares[:, 0] == pytest.approx(shares, abs=1e-15)


@given(SEEDS)
def test_additions_have_the_same_shares_in_any_order(seed):
    blended = random_blend(seed)
    blended.modes[:] = BlendMode.ADD
    blended.run()
    shares = blended.shares.copy()
    blended.set_order(blended.order[::-1])
    blended.run()
    assert blended.shares == pytest.approx(shares, abs=1e-14)


def test_a_layer_mask_keeps_a_layer_off_a_channel():
    blended = layered((OVER, 1.0, 0.8), (OVER, 1.0, 0.2))
    blended.block.layer_masks[1, 0] = 0.5
    blended.run()
    assert blended.values[0] == pytest.approx(0.5)
    blended.block.layer_masks[1, 0] = 0.0
    blended.run()
    assert blended.owners(0) == (Owner(0, 1.0),)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("mode", list(BlendMode))
def test_what_is_not_finite_is_left_out_and_named(bad, mode):
    blended = layered((OVER, 1.0, 0.8), (mode, 0.5, 0.4))
    blended.block.values[1, 0] = bad
    assert blended.run() == 1
    assert blended.values[0] == 0.8
    assert blended.owners(0) == (Owner(0, 1.0),)
    assert blended.ignored() == (Ignored(1, "Body.j0"),)


def test_bad_numbers_that_nobody_uses_are_no_matter():
    blended = layered((OVER, 1.0, 0.8), (OVER, 0.0, 0.4))
    blended.block.values[:] = np.nan
    blended.block.passthrough[:, 1:] = np.nan
    blended.block.values[0, 0] = 0.8
    assert blended.run() == 0
    assert blended.ignored() == ()


def test_a_bad_base_is_named_and_the_channel_holds():
    blended = layered((OVER, 1.0, 0.8))
    blended.values[3] = 0.77
    blended.base[3] = math.nan
    assert blended.run() == 1
    assert blended.values[3] == 0.77
    assert blended.ignored() == (Ignored(None, "Body.j3"),)


def test_an_addition_beyond_all_numbers_is_left_out():
    blended = layered((OVER, 1.0, 1.7e308), (ADD, 1.0, 1.7e308))
    assert (blended.values[0], blended.ignored_count) == (1.7e308, 1)


def test_a_speed_below_nothing_is_left_out():
    blended = layered((OVER, 1.0, 0.8), (OVER, 1.0, 0.8))
    blended.block.speed_masks[:, 2] = 1
    blended.block.speeds[:, 2] = (0.5, -1.0)
    assert blended.run() == 1
    assert (blended.speeds[2], blended.speed_mask[2]) == (0.5, 1)
    assert blended.ignored() == (Ignored(1, "Body.j2"),)


@given(
    SEEDS,
    st.lists(st.floats(), min_size=12, max_size=12),
    st.sampled_from(["values", "passthrough", "speeds", "layer_masks", "layer_weights"]),
)
def test_whatever_stands_in_the_rows_the_result_is_finite_and_within_range(seed, wild, where):
    blended = random_blend(seed)
    rng = np.random.default_rng(seed)
    array = getattr(blended.block, where).reshape(-1)
    array[rng.integers(0, array.size, len(wild))] = wild
    count = blended.run()
    assert np.isfinite(blended.values).all()
    assert np.isfinite(blended.speeds).all()
    assert (blended.speeds >= 0.0).all()
    assert len(blended.ignored()) <= count
    total = blended.shares.sum(axis=0)
    assert total == pytest.approx(blended.mask.astype(float), abs=1e-12)
    blended.clamp()
    assert ((blended.values >= LAYOUT.lower) & (blended.values <= LAYOUT.upper)).all()
    assert blended.clamp() == 0


def test_clamping_rows_counts_what_was_outside():
    values = np.array([[-3.0, 0.5, math.nan], [0.0, math.inf, -math.inf]])
    lower, upper = np.full(3, -1.0), np.full(3, 1.0)
    assert clamp_rows(values, lower, upper, np.array([0.0, 0.0, 0.25])) == 4
    assert values.tolist() == [[-1.0, 0.5, 0.25], [0.0, 1.0, -1.0]]


def test_a_row_that_does_not_exist_or_stands_twice_is_refused():
    blended = Blend(FrameBlock(LAYOUT, 2))
    with pytest.raises(LookupError, match="no row 2"):
        blended.set_order([0, 2])
    with pytest.raises(ValueError, match="row 1 stands twice"):
        blended.set_order([1, 0, 1])
    with pytest.raises(LookupError, match="no row -1"):
        blended.set_mode(-1, BlendMode.ADD)
    assert blended.order == (0, 1)


def test_without_layers_the_base_comes_through():
    blended = Blend(FrameBlock(LAYOUT, 2), [])
    assert blended.run() == 0
    assert np.array_equal(blended.values, LAYOUT.neutral)
    assert not blended.mask.any()


def filled_with(rows: int, channels: int) -> Blend:
    layout = ChannelLayout([ChannelSpec(name=f"Body.j{at}") for at in range(channels)])
    blended = Blend(FrameBlock(layout, rows))
    blended.modes[::2] = BlendMode.ADD
    return blended


def run_frame(blended: Blend) -> None:
    blended.block.begin_frame(0.02)
    blended.block.masks.fill(1)
    blended.block.values.fill(0.25)
    blended.run()
    blended.clamp()


def test_a_frame_allocates_no_array():
    # So large that the least of its arrays stands out from the interpreter's own small objects.
    rows, channels = 40, 400
    blended = filled_with(rows, channels)
    run_frame(blended)
    tracemalloc.start()
    try:
        run_frame(blended)
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        for _ in range(50):
            run_frame(blended)
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak - before < channels * 8
    assert after - before < channels
