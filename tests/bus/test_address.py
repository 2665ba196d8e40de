"""Broker addresses, as people write them."""

from __future__ import annotations

import ssl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.bus import BrokerAddress

hosts = st.sampled_from(["localhost", "10.0.0.7", "lab-pc.example", "::1"])
secrets = st.text(min_size=1).filter(lambda text: text.strip() == text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("localhost", BrokerAddress("localhost", 1883)),
        ("localhost:1884", BrokerAddress("localhost", 1884)),
        ("mqtt://lab", BrokerAddress("lab", 1883)),
        (" mqtt://lab:99/ ", BrokerAddress("lab", 99)),
        ("mqtts://lab", BrokerAddress("lab", 8883, tls=True)),
        ("mqtt://[::1]:5", BrokerAddress("::1", 5)),
        ("mqtt://ada:p%40ss@lab", BrokerAddress("lab", 1883, "ada", "p@ss")),
        ("ada:secret@lab", BrokerAddress("lab", 1883, "ada", "secret")),
        (
            "mqtts://lab?ca=/etc/my%20ca.pem",
            BrokerAddress("lab", 8883, tls=True, ca_file="/etc/my ca.pem"),
        ),
    ],
)
def test_addresses_are_read_in_all_their_forms(text, expected):
    assert BrokerAddress.parse(text) == expected


@pytest.mark.parametrize(
    "text", ["", "http://lab", "mqtt://", "mqtt://lab:port", "mqtt://lab:99999", "mqtt://lab/x/y"]
)
def test_what_is_no_address_is_refused_with_an_example(text):
    with pytest.raises(ValueError, match=r"mqtt://.*host"):
        BrokerAddress.parse(text)


@given(
    hosts,
    st.integers(1, 65535),
    st.none() | st.tuples(secrets, st.none() | secrets),
    st.booleans(),
    st.none() | secrets,
)
def test_the_whole_address_reads_back_as_it_was_written(host, port, who, tls, ca_file):
    username, password = who or (None, None)
    address = BrokerAddress(host, port, username, password, tls, ca_file)
    assert BrokerAddress.parse(address.url) == address


def test_the_password_shows_nowhere_but_in_the_url_for_child_processes():
    address = BrokerAddress.parse("mqtt://ada:hush@lab")
    assert "hush" not in f"{address} {address!r}"
    assert str(address) == "mqtt://lab:1883"
    assert "hush" in address.url
    assert str(BrokerAddress("::1", 5, tls=True)) == "mqtts://[::1]:5"


def test_the_environment_gives_address_user_and_password(monkeypatch):
    for name in ("SERA_BROKER", "SERA_BROKER_USER", "SERA_BROKER_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    assert BrokerAddress.from_environment() is None
    monkeypatch.setenv("SERA_BROKER", "mqtts://lab")
    monkeypatch.setenv("SERA_BROKER_USER", "ada")
    monkeypatch.setenv("SERA_BROKER_PASSWORD", "secret")
    assert BrokerAddress.from_environment() == BrokerAddress("lab", 8883, "ada", "secret", tls=True)
    monkeypatch.setenv("SERA_BROKER", "mqtts://bob:other@lab")
    assert BrokerAddress.from_environment() == BrokerAddress("lab", 8883, "bob", "other", tls=True)


def test_only_a_tls_address_has_a_certificate_check():
    assert BrokerAddress("lab").ssl_context() is None
    context = BrokerAddress("lab", tls=True).ssl_context()
    assert context is not None
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
