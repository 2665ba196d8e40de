"""Sheets of lines in the browser: checked, commented, begun from the template.

Design overview
    `routes` takes files in and hands answers out; everything that reads or writes a workbook
    happens in a child process (`_child`) with limits of time and memory, so that neither a broken
    nor a hostile file can harm the gateway, and what the answer weighs never lies in its memory.

Safety
    The name of an upload is a label: it is shown and never becomes a path. A sheet of the scenario
    is found by comparing its name with the list of those that the scenario uses.
"""

from sera.console.workbooks._routes import routes

__all__ = ["routes"]
