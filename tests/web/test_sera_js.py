"""The script for pages: its types are those of the messages, and it needs nothing from outside."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from sera.messages import jsdoc_typedefs
from sera.web import SERA_JS, TYPES_JS, typedefs, write_typedefs
from sera.web._typedefs import STATIC_FOLDER

STATIC = sorted(path for path in STATIC_FOLDER.iterdir() if path.is_file())


def test_the_types_for_pages_are_those_of_the_messages():
    assert TYPES_JS.read_text(encoding="utf-8") == typedefs(), "run `make docs-schema`"
    assert jsdoc_typedefs() in typedefs()


def test_types_that_have_drifted_are_written_anew(tmp_path):
    source = TYPES_JS.read_text(encoding="utf-8")
    copy = tmp_path / "message-types.js"
    copy.write_text(
        source.replace("@typedef {object} Clicked", "@typedef {object} Cliked"), "utf-8"
    )
    assert write_typedefs(copy)
    assert copy.read_text(encoding="utf-8") == source
    assert not write_typedefs(copy)


def test_every_type_that_the_script_takes_from_there_is_there():
    taken = re.findall(
        r'import\("\./message-types\.js"\)\.(\w+)', SERA_JS.read_text(encoding="utf-8")
    )
    known = re.findall(r"@typedef \{.+\} (\w+)", TYPES_JS.read_text(encoding="utf-8"))
    assert taken
    assert set(taken) <= set(known)


def test_a_page_fetches_one_script_only():
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", SERA_JS.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert "import" not in code


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
