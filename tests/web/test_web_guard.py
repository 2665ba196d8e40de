"""The guard: which Host and Origin are let in, and what answers say to browsers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers

from sera.web._guard import Guard, is_loopback, is_wildcard, security_headers


def headers(*pairs: tuple[str, str]) -> Headers:
    return Headers(raw=[(name.encode(), value.encode("latin-1")) for name, value in pairs])


def verdict(guard: Guard, host: str, origin: str | None = None) -> str | None:
    pairs = [("host", host)] + ([] if origin is None else [("origin", origin)])
    return guard.problem(headers(*pairs), websocket=True)


LOOPBACK = Guard("127.0.0.1")
EVERYWHERE = Guard("0.0.0.0", names=["Lab-PC"])


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000", "LOCALHOST"])
def test_a_page_of_the_server_itself_may_connect(host):
    assert verdict(LOOPBACK, host, f"http://{host}") is None
    assert verdict(LOOPBACK, host, f"https://{host}") is None  # behind a proxy that does TLS


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://127.0.0.1",
        "http://127.0.0.1:9000",
        "http://localhost:8000",
        "http://127.0.0.1:8000.evil.example",
        "http://evil.example/127.0.0.1:8000",
        "http://127.0.0.1:8000@evil.example",
        "ftp://127.0.0.1:8000",
        "file://",
        "null",
        "",
    ],
)
def test_a_page_of_another_origin_may_not_connect(origin):
    assert "may not connect" in (verdict(LOOPBACK, "127.0.0.1:8000", origin) or "")


def test_a_program_without_an_origin_may_connect():
    assert verdict(LOOPBACK, "127.0.0.1:8000") is None


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "192.168.0.5", "", "a b",
     "localhost:8000:1", "localhost;x", "localhost:999999", "[::1"],
)  # fmt: skip
def test_a_name_that_somebody_else_points_at_this_machine_is_not_answered(host):
    for websocket in (True, False):
        problem = LOOPBACK.problem(headers(("host", host)), websocket=websocket)
        assert problem is not None
        assert "not known as" in problem


def test_a_request_with_two_hosts_or_two_origins_is_not_answered():
    host, origin = ("host", "localhost"), ("origin", "http://localhost")
    assert LOOPBACK.problem(headers(host, host), websocket=False) is not None
    assert LOOPBACK.problem(headers(host, origin, origin), websocket=True) is not None
    assert LOOPBACK.problem(headers(), websocket=False) is not None


def test_on_every_interface_addresses_and_the_own_name_are_answered_but_no_other_name():
    for host in ("192.168.0.5:8000", "[fe80::1]:8000", "lab-pc:8000", "localhost:8000"):
        assert verdict(EVERYWHERE, host, f"http://{host}") is None
    assert verdict(EVERYWHERE, "evil.example:8000", "http://evil.example:8000") is not None


def test_an_allowed_origin_may_connect_and_its_neighbours_may_not():
    guard = Guard("127.0.0.1", allowed_origins=["HTTP://tablet.lab:8080/"])
    assert verdict(guard, "127.0.0.1:8000", "http://tablet.lab:8080") is None
    for origin in ("http://tablet.lab", "https://tablet.lab:8080", "http://x.tablet.lab:8080"):
        assert verdict(guard, "127.0.0.1:8000", origin) is not None


@pytest.mark.parametrize("origin", ["tablet.lab", "*", "", "http://tablet.lab/page", "ws://a"])
def test_an_allowed_origin_that_is_none_is_refused_with_an_example(origin):
    with pytest.raises(ValueError, match=r"is no origin; .* 'http://tablet\.lab:8080'"):
        Guard("127.0.0.1", allowed_origins=[origin])


@given(st.text(st.characters(max_codepoint=255)), st.text(st.characters(max_codepoint=255)))
def test_no_host_that_is_let_in_can_break_out_of_a_header(host, origin):
    problem = EVERYWHERE.problem(headers(("host", host), ("origin", origin)), websocket=True)
    if problem is None:
        assert set(host.lower()) <= set("abcdefghijklmnopqrstuvwxyz0123456789.-:[]")
        assert origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")


def test_the_policy_allows_this_server_only_and_no_inline_script_or_style():
    policy = dict(
        part.strip().split(" ", 1)
        for part in security_headers("127.0.0.1:8000")["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'self'"
    assert policy["connect-src"] == "'self' ws://127.0.0.1:8000 wss://127.0.0.1:8000"
    assert policy["frame-ancestors"] == policy["object-src"] == policy["base-uri"] == "'none'"
    assert "unsafe" not in str(policy)
    assert "*" not in str(policy)


def test_addresses_are_told_apart():
    assert [is_loopback(one) for one in ("127.0.0.1", "127.9.9.9", "::1", "localhost")] == [
        True
    ] * 4
    assert not any(is_loopback(one) for one in ("0.0.0.0", "192.168.0.5", "::", "lab-pc"))
    assert [is_wildcard(one) for one in ("0.0.0.0", "::", "")] == [True] * 3
    assert not is_wildcard("127.0.0.1")
