"""Grows trees on a table and says honestly how well they do.

Design overview
    Cross-validation is by group: cases of one participant (or run) are never in training and test
    at once, because a policy must do on people whom it has not met. Every fold is compared with
    the rule *always what was most frequent in training*. The policy that is kept is grown on all
    cases. scikit-learn grows the trees; what comes out is a `Policy`, which needs it no more.

Threading: pure; the seed is injected, results are the same for the same seed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sera.study.policy.features import encode, find_features
from sera.study.policy.policy import Choice, Node, Policy, Tree
from sera.study.policy.table import NotLearnable, PolicyTable

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDS = 5
FEW_ROWS, FEW_GROUPS, FEW_OF_A_CHOICE = 100, 5, 10
FOREST_TREES = 50
PRUNED_BELOW = 0.004
"""A question that lowers the impurity of all cases by less is not asked (cost-complexity)."""

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


class NeedsScikitLearn(ImportError):
    """scikit-learn is not installed."""


@dataclass(slots=True)
class Validation:
    """How well it does on groups that it has not seen."""

    folds: int
    accuracy: float
    baseline: float
    """The same for *always what was most frequent in training*."""
    baseline_choice: str
    accuracy_low: float
    """95 % interval over cases (Wilson)."""
    accuracy_high: float
    confusion: list[list[int]]
    """One row a choice that was made, one column a choice that the policy would make."""

    def recalls(self) -> list[float | None]:
        """Of the cases of each choice, the share that was found."""
        return [
            row[place] / sum(row) if sum(row) else None for place, row in enumerate(self.confusion)
        ]


@dataclass(slots=True)
class Learned:
    """A policy, and what is to be said about it."""

    policy: Policy
    rows: int
    groups: int
    choices: dict[str, int]
    """How often each choice was made, the most frequent first."""
    validation: Validation | None
    """None where there is only one group."""
    warnings: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Everything but the policy itself."""
        checked = None
        if self.validation is not None:
            checked = {**asdict(self.validation), "recalls": self.validation.recalls()}
        return {
            "acts_on": self.policy.acts_on,
            "rows": self.rows,
            "groups": self.groups,
            "features": [feature.name for feature in self.policy.features],
            "trees": len(self.policy.trees),
            "choices": self.choices,
            "labels": [choice.label for choice in self.policy.choices],
            "cross_validated": checked,
            "warnings": list(self.warnings),
        }


def learn(table: PolicyTable, *, forest: bool = False, depth: int = 6, seed: int = 0) -> Learned:
    """Grow a policy.

    Args:
        table: the cases.
        forest: many trees in place of one; often better, never as readable.
        depth: questions in a row, at most.
        seed: of everything that is drawn.

    Raises:
        NotLearnable: there is nothing to tell apart.
        NeedsScikitLearn: scikit-learn is not installed.
    """
    features, warnings = find_features([row.moment for row in table.rows])
    counted = table.choices
    by_label = {row.choice.label: row.choice for row in table.rows}
    choices = [by_label[label] for label in counted]
    if len(choices) < 2:
        raise NotLearnable(
            f"the operator always chose the same ({choices[0].label}): there is nothing to learn"
        )
    if not features:
        raise NotLearnable("what stood on the page never varied: nothing explains the choices")
    place = {label: number for number, label in enumerate(counted)}
    x = np.array([encode(features, row.moment) for row in table.rows])
    y = np.array([place[row.choice.label] for row in table.rows], dtype=np.intp)
    groups = [row.group for row in table.rows]
    grow = _grower(x.shape[0], forest=forest, depth=depth, seed=seed)
    validation = _validated(x, y, groups, choices, grow)
    policy = Policy(
        acts_on=table.acts_on,
        features=features,
        choices=choices,
        trees=_trees(grow(x, y), len(choices)),
    )
    learned = Learned(policy, len(y), len(set(groups)), dict(counted), validation)
    learned.warnings = [*table.warnings, *warnings, *_warnings(learned, table)]
    learned.policy = policy.model_copy(update={"made_from": learned.as_json()})
    return learned


def _grower(
    cases: int, *, forest: bool, depth: int, seed: int
) -> Callable[[FloatArray, IntArray], Any]:
    try:
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.tree import DecisionTreeClassifier
    except ImportError:
        raise NeedsScikitLearn("learning needs scikit-learn: pip install 'sera[study]'") from None
    least = max(3, math.ceil(0.005 * cases))

    def grow(x: FloatArray, y: IntArray) -> Any:
        if forest:
            made = RandomForestClassifier(
                FOREST_TREES, max_depth=depth + 2, min_samples_leaf=2, random_state=seed
            )
        else:
            made = DecisionTreeClassifier(
                max_depth=depth, min_samples_leaf=least, ccp_alpha=PRUNED_BELOW, random_state=seed
            )
        return made.fit(x, y)

    return grow


def _validated(
    x: FloatArray,
    y: IntArray,
    groups: Sequence[str],
    choices: Sequence[Choice],
    grow: Callable[[FloatArray, IntArray], Any],
) -> Validation | None:
    folds = min(FOLDS, len(set(groups)))
    if folds < 2:
        return None
    from sklearn.model_selection import GroupKFold

    told, base = np.empty_like(y), np.empty_like(y)
    for train, test in GroupKFold(folds).split(x, y, groups):
        told[test] = grow(x[train], y[train]).predict(x[test])
        base[test] = Counter(y[train].tolist()).most_common(1)[0][0]
    confusion = np.zeros((len(choices), len(choices)), dtype=int)
    np.add.at(confusion, (y, told), 1)
    right = int(np.sum(told == y))
    low, high = _wilson(right, len(y))
    return Validation(
        folds=folds,
        accuracy=right / len(y),
        baseline=float(np.mean(base == y)),
        baseline_choice=choices[0].label,
        accuracy_low=low,
        accuracy_high=high,
        confusion=confusion.tolist(),
    )


def _trees(grown: Any, choices: int) -> list[Tree]:
    estimators = getattr(grown, "estimators_", None) or [grown]
    return [_tree(one, [int(label) for label in grown.classes_], choices) for one in estimators]


def _tree(estimator: Any, labels: list[int], choices: int) -> Tree:
    """The nodes of a scikit-learn tree: children come after their parents there, too."""
    inner = estimator.tree_
    nodes: list[Node] = []
    for place in range(inner.node_count):
        if inner.children_left[place] < 0:
            cases = inner.value[place][0] * inner.n_node_samples[place]
            if abs(float(inner.value[place][0].sum()) - 1.0) > 1e-6:  # older ones keep counts
                cases = inner.value[place][0]
            counts = [0.0] * choices
            for label, count in zip(labels, cases.tolist(), strict=True):
                counts[label] = round(float(count), 6)
            nodes.append(Node(counts=counts))
        else:
            nodes.append(
                Node(
                    feature=int(inner.feature[place]),
                    up_to=float(inner.threshold[place]),
                    yes=int(inner.children_left[place]),
                    no=int(inner.children_right[place]),
                )
            )
    return Tree(nodes=nodes)


def _wilson(right: int, cases: int) -> tuple[float, float]:
    z = 1.959964
    share = right / cases
    middle = share + z * z / (2 * cases)
    half = z * math.sqrt(share * (1 - share) / cases + z * z / (4 * cases * cases))
    whole = 1 + z * z / cases
    return (middle - half) / whole, (middle + half) / whole


def _warnings(learned: Learned, table: PolicyTable) -> list[str]:
    found: list[str] = []
    if learned.rows < FEW_ROWS:
        found.append(f"{learned.rows} cases are few: figures may be far off with new people")
    if learned.groups == 1:
        found.append(
            "all cases are of one participant or run: how the policy does with others is not known"
        )
    elif learned.groups < FEW_GROUPS:
        found.append(f"cases of {learned.groups} participants or runs only: record more")
    for label, count in learned.choices.items():
        owners = {row.group for row in table.rows if row.choice.label == label}
        if count < FEW_OF_A_CHOICE:
            found.append(f"'{label}' was chosen {count} times only: it is hardly learned")
        elif len(owners) == 1 and learned.groups > 1:
            found.append(f"'{label}' was chosen in one participant's or run's cases only")
    checked = learned.validation
    if checked is not None and checked.accuracy_low <= checked.baseline:
        found.append(
            f"it does not do better than always '{checked.baseline_choice}': what the wizard "
            "went by is not in these perceptions, or there are too few cases"
        )
    return found
