"""What is printed about a learned policy: figures, the confusion table, and the tree itself."""

from __future__ import annotations

from collections.abc import Iterator

from sera.study.policy.policy import Policy, Tree, answer
from sera.study.policy.training import Learned

_MOST_LINES = 60


def told(learned: Learned) -> str:
    """All of it as text."""
    return "\n".join([*_figures(learned), "", *_confusion(learned), "", *readable(learned.policy)])


def readable(policy: Policy) -> list[str]:
    """The tree as indented questions; of a forest how often it asks about each feature."""
    if len(policy.trees) == 1:
        lines = list(_branches(policy, policy.trees[0], 0, 0))
        hidden = len(lines) - _MOST_LINES
        shown = lines[:_MOST_LINES]
        return shown if hidden <= 0 else [*shown, f"… and {hidden} more lines"]
    used: dict[str, int] = {}
    for tree in policy.trees:
        for node in tree.nodes:
            if node.feature is not None:
                name = policy.features[node.feature].name
                used[name] = used.get(name, 0) + 1
    ranked = sorted(used.items(), key=lambda item: (-item[1], item[0]))[:15]
    return [
        f"a forest of {len(policy.trees)} trees; how often each feature is asked about:",
        *(f"  {count:6d}  {name}" for name, count in ranked),
    ]


def _branches(policy: Policy, tree: Tree, place: int, depth: int) -> Iterator[str]:
    """Depth is bounded by what is printed: a hand-made chain of questions is cut."""
    node = tree.nodes[place]
    indent = "  " * depth
    if node.feature is None:
        whole = sum(node.counts)
        best = max(range(len(node.counts)), key=node.counts.__getitem__)
        share = f"{node.counts[best]:g} of {whole:g}"
        yield f"{indent}→ {policy.choices[best].label}  ({share})"
        return
    if depth >= _MOST_LINES:
        yield f"{indent}…"
        return
    for yes in (True, False):
        child = node.yes if yes else node.no
        yield f"{indent}{answer(policy.features, node, yes=yes)}"
        yield from _branches(policy, tree, child, depth + 1)


def _figures(learned: Learned) -> list[str]:
    size = f"{learned.rows} cases of {learned.groups} participants or runs"
    features = f"{len(learned.policy.features)} features; acts on {learned.policy.acts_on}"
    lines = [f"{size}, {features}"]
    lines += [f"  {count:6d}  {label}" for label, count in learned.choices.items()]
    checked = learned.validation
    if checked is None:
        lines.append("not cross-validated: that needs cases of at least two participants or runs")
    else:
        lines.append(
            f"cross-validated over {checked.folds} folds by participant or run: "
            f"{checked.accuracy:.1%} right (95 % interval {checked.accuracy_low:.1%} to "
            f"{checked.accuracy_high:.1%}); always '{checked.baseline_choice}': "
            f"{checked.baseline:.1%}"
        )
    return lines + [f"note: {sentence}" for sentence in learned.warnings]


def _confusion(learned: Learned) -> list[str]:
    checked = learned.validation
    if checked is None:
        return []
    labels = [choice.label for choice in learned.policy.choices]
    wide = max(len(label) for label in labels)
    head = "wizard \\ policy".ljust(wide + 4) + "".join(
        f"{letter:>7}" for letter in _letters(len(labels))
    )
    lines = [head]
    for letter, label, row, recall in zip(
        _letters(len(labels)), labels, checked.confusion, checked.recalls(), strict=True
    ):
        found = "" if recall is None else f"  {recall:6.1%} found"
        lines.append(f"{letter}  {label:<{wide + 1}}" + "".join(f"{n:7d}" for n in row) + found)
    return lines


def _letters(count: int) -> list[str]:
    return [chr(97 + n) if n < 26 else str(n) for n in range(count)]
