"""The script for pages: its types are those of the messages, and it needs nothing from outside."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from sera.messages import jsdoc_typedefs
from sera.web import SERA_JS, with_typedefs, write_typedefs
from sera.web._typedefs import STATIC_FOLDER

STATIC = sorted(path for path in STATIC_FOLDER.iterdir() if path.is_file())


def test_the_types_in_sera_js_are_those_of_the_messages():
    source = SERA_JS.read_text(encoding="utf-8")
    assert with_typedefs(source) == source, "run `make docs-schema`"
    assert jsdoc_typedefs() in source


def test_types_that_have_drifted_are_written_anew(tmp_path):
    source = SERA_JS.read_text(encoding="utf-8")
    copy = tmp_path / "sera.js"
    copy.write_text(
        source.replace("@typedef {object} Clicked", "@typedef {object} Cliked"), "utf-8"
    )
    assert write_typedefs(copy)
    assert copy.read_text(encoding="utf-8") == source
    assert not write_typedefs(copy)


def test_a_script_without_the_marks_is_not_touched(tmp_path):
    copy = tmp_path / "sera.js"
    copy.write_text("export {};\n", "utf-8")
    with pytest.raises(ValueError, match="lacks the lines"):
        write_typedefs(copy)
    assert copy.read_text(encoding="utf-8") == "export {};\n"


@pytest.mark.parametrize("path", STATIC, ids=lambda path: path.name)
def test_nothing_is_fetched_from_another_host(path):
    text = path.read_text(encoding="utf-8")
    addresses = set(re.findall(r"(?:https?:|wss?:)?//[\w.-]+\.\w+[^\s\"'`)]*", text))
    assert addresses <= {"http://www.w3.org/2000/svg"}  # a name space, not an address


def test_the_index_page_has_no_inline_script_or_style():
    page = (STATIC_FOLDER / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<style|style=|\son\w+=|<script(?![^>]*\ssrc=)", page) == []


def test_importing_the_package_or_the_roles_brings_no_web_server():
    code = "import sys, sera.web; print(sorted({'starlette', 'uvicorn'} & set(sys.modules)))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
