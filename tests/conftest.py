"""What all tests share: programs that may be missing, and an honest account of what was skipped.

`make test` ends with the list of skipped tests and the reason of each; where the environment
says CI=true a skipped (or expectedly failing) test fails the run, since there everything that
the tests need is supposed to be installed.
"""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterable

import pytest
from hypothesis import settings

from tests.helpers import so_many

pytest_plugins = ["tests.browser"]

# A deadline in seconds says how busy the machine is. In CI hypothesis repeats the same examples.
settings.register_profile("sera", settings(), deadline=None, max_examples=so_many(40, 100))
settings.load_profile("sera")

# A shell that starts the tests in the background has Ctrl-C ignored, and all that they start, too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Distributions keep some daemons out of an ordinary user's PATH.
_ALSO_LOOK_IN = ("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin")
_PROGRAMS = {
    "mosquitto": ("mosquitto",),
    "chromium": ("chromium", "chromium-browser", "google-chrome"),
    "espeak-ng": ("espeak-ng",),
}


def find_program(name: str) -> str | None:
    """Find a program under any of its names."""
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), *_ALSO_LOOK_IN))
    for candidate in _PROGRAMS.get(name, (name,)):
        if found := shutil.which(candidate, path=path):
            return found
    return None


def in_ci() -> bool:
    return os.environ.get("CI", "").lower() in ("1", "true", "yes")


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("needs_program"):
        for name in marker.args:
            if find_program(name) is None:
                pytest.skip(f"{name} is not installed (Debian: apt-get install {name})")


@pytest.fixture(
    params=[pytest.param("mosquitto", marks=pytest.mark.needs_program("mosquitto")), "amqtt"]
)
def broker_kind(request: pytest.FixtureRequest) -> str:
    """Each kind of embedded broker in turn."""
    return str(request.param)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    not_run = [] if reporter is None else _reports(reporter)
    if in_ci() and not_run and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    not_run = _reports(terminalreporter)
    if not not_run:
        terminalreporter.write_sep("=", "no test was skipped")
        return
    verdict = "in CI that is a failure" if in_ci() else "not shown on this machine"
    terminalreporter.write_sep("=", f"{len(not_run)} skipped: {verdict}", red=in_ci())
    for name, reason in not_run:
        terminalreporter.write_line(f"{name}: {reason}")


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """In CI what a failing test printed comes last: logs are read from their end."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if in_ci() and reporter is not None and not hasattr(config, "workerinput"):
        reporter.summary_errors()
        reporter.summary_failures()


def _reports(reporter: pytest.TerminalReporter) -> list[tuple[str, str]]:
    skipped: Iterable[pytest.TestReport] = reporter.stats.get("skipped", ())
    expected_failures: Iterable[pytest.TestReport] = reporter.stats.get("xfailed", ())
    found = [(report.nodeid, _skip_reason(report)) for report in skipped]
    found += [
        (report.nodeid, f"expected to fail: {getattr(report, 'wasxfail', '') or 'no reason given'}")
        for report in expected_failures
    ]
    return found


def _skip_reason(report: pytest.TestReport) -> str:
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    return str(report.longrepr or "no reason given")
