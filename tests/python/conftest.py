# SPDX-License-Identifier: MIT
"""Settings of the tests, and their report in GoogleTest's form, which ./run-tests counts."""

import os
import sys
import xml.sax.saxutils

import hypothesis
import pytest

sys.path.insert(0, os.path.dirname(__file__))
os.environ.setdefault("MPLBACKEND", "Agg")

# The same examples on every run: a failure here is one that everybody sees.
hypothesis.settings.register_profile("gate", derandomize=True, deadline=None, max_examples=50, database=None)
hypothesis.settings.load_profile("gate")

_results = {}


@pytest.hookimpl
def pytest_runtest_logreport(report):
    outcome = _results.setdefault(report.nodeid, ["passed", ""])
    if report.failed:
        outcome[0] = "failed"
    elif report.skipped and outcome[0] == "passed":
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        outcome[:] = ["skipped", reason.removeprefix("Skipped: ")]


@pytest.hookimpl
def pytest_sessionfinish():
    folder = os.environ.get("GTEST_OUTPUT", "").removeprefix("xml:")
    if not folder:
        return
    os.makedirs(folder, exist_ok=True)
    failures = sum(outcome == "failed" for outcome, _ in _results.values())
    quote = xml.sax.saxutils.quoteattr
    with open(os.path.join(folder, "test_python.xml"), "w", encoding="utf-8") as file:
        file.write(f'<testsuites tests="{len(_results)}" failures="{failures}">\n')
        for name, (outcome, reason) in _results.items():
            file.write(f'<testcase name={quote(name)} result="{"skipped" if outcome == "skipped" else "completed"}">\n')
            if outcome == "skipped":
                message = xml.sax.saxutils.escape(reason, {'"': "&quot;"})
                file.write(f'<skipped message="tests/python&#x0A;skipped: {message}"/>\n')
            file.write("</testcase>\n")
        file.write("</testsuites>\n")
