"""Dialogue without code: sheets of states, what leads from one to the next, and what is said."""

from sera.behaviour.dialogue.conditions import After, FieldTest, Heard, Operator, Otherwise, When
from sera.behaviour.dialogue.graph import DialogueGraph, GraphEdge, write_graph
from sera.behaviour.dialogue.lint import lint_dialogue
from sera.behaviour.dialogue.machine import DialogueMachine
from sera.behaviour.dialogue.orders import Ended, Moved, Order, Say, Trouble
from sera.behaviour.dialogue.script import Script, ScriptRow, state_key
from sera.behaviour.dialogue.when import WhenReading, parse_when, unknown_messages

__all__ = [
    "After",
    "DialogueGraph",
    "DialogueMachine",
    "Ended",
    "FieldTest",
    "GraphEdge",
    "Heard",
    "Moved",
    "Operator",
    "Order",
    "Otherwise",
    "Say",
    "Script",
    "ScriptRow",
    "Trouble",
    "When",
    "WhenReading",
    "lint_dialogue",
    "parse_when",
    "state_key",
    "unknown_messages",
    "write_graph",
]
