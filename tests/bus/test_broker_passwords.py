"""The password file that both kinds of embedded broker read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera._broker_process.passwords import password_fits, password_line, read_password_file

printable = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=40)


@settings(max_examples=25, deadline=None)
@given(password=printable, other=printable)
def test_only_the_very_password_fits(password, other):
    _, stored = password_line("lab", password).split(":", 1)
    assert password_fits(password, stored)
    assert password_fits(other, stored) == (other == password)


def test_the_same_password_gives_another_line_each_time():
    assert password_line("lab", "secret") != password_line("lab", "secret")


def test_a_file_gives_each_user_the_own_hash(tmp_path):
    path = tmp_path / "passwords"
    path.write_text(f"{password_line('one', 'first')}\n\n{password_line('two', 'second')}\n")
    users = read_password_file(path)
    assert list(users) == ["one", "two"]
    assert password_fits("second", users["two"])
    assert not password_fits("second", users["one"])


@settings(deadline=None)
@given(st.text(max_size=60) | st.from_regex(r"\$7\$[0-9]{1,3}\$[A-Za-z=]*\$[A-Za-z=]*"))
def test_a_hash_of_any_other_form_fits_nobody_and_raises_nothing(stored):
    assert not password_fits("secret", stored)


@pytest.mark.parametrize("name", ["", "a:b", "a\nb", "a\0b"])
def test_a_name_that_the_file_cannot_hold_is_refused(name):
    with pytest.raises(ValueError, match="must not be empty nor contain"):
        password_line(name, "secret")
