"""The enslaving rules of a body, compiled for a layout of channels."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sera.animation.body.enslaving import Curve, Rule, Share, Weights
from sera.animation.channels import OWN_SET
from sera.animation.engine._enslaving_kernels import CURVE, SHARE, WEIGHTS, RuleArrays, enslave
from sera.animation.frame.layout import ChannelLayout

FloatArray = NDArray[np.float64]
ByteArray = NDArray[np.uint8]


class CompiledRules:
    """All rules of a body as arrays, applied in one kernel call."""

    def __init__(self, layout: ChannelLayout, arrays: RuleArrays) -> None:
        self._layout = layout
        self._arrays = arrays

    def __len__(self) -> int:
        return len(self._arrays.sources)

    def apply(self, values: FloatArray, masks: ByteArray, own: FloatArray) -> None:
        """Move own channels by the generic ones that are animated, in place.

        Args:
            values: (channels,) as blended.
            masks: (channels,) which of them are animated.
            own: (channels,) begins as the blended own channels, neutral where nobody moved them.
        """
        layout = self._layout
        enslave(self._arrays, values, masks, layout.neutral, layout.lower, layout.upper, own)


def compile_rules(layout: ChannelLayout, rules: Mapping[str, Rule]) -> CompiledRules:
    """Turn names into columns, once."""
    sources, kinds, first, targets, factors = [], [], [0], [], []
    curve_first, curve_x, curve_y = [0], [], []
    for channel, rule in rules.items():
        sources.append(layout.index(channel))
        kinds.append(_KINDS[type(rule)])
        for name, part in _parts(rule).items():
            targets.append(layout.index(f"{OWN_SET}.{name}"))
            points = part if isinstance(part, tuple) else ()
            factors.append(0.0 if isinstance(part, tuple) else part)
            curve_x += [x for x, _ in points]
            curve_y += [y for _, y in points]
            curve_first.append(len(curve_x))
        first.append(len(targets))
    return CompiledRules(
        layout,
        RuleArrays(
            sources=_whole(sources),
            kinds=_whole(kinds),
            first=_whole(first),
            targets=_whole(targets),
            factors=np.array(factors, dtype=np.float64),
            curve_first=_whole(curve_first),
            curve_x=np.array(curve_x, dtype=np.float64),
            curve_y=np.array(curve_y, dtype=np.float64),
        ),
    )


_KINDS = {Share: SHARE, Weights: WEIGHTS, Curve: CURVE}


def _parts(rule: Rule) -> Mapping[str, float] | Mapping[str, tuple[tuple[float, float], ...]]:
    if isinstance(rule, Share):
        return rule.factors
    if isinstance(rule, Weights):
        return rule.weights
    return rule.points


def _whole(numbers: list[int]) -> NDArray[np.int64]:
    return np.array(numbers, dtype=np.int64)
