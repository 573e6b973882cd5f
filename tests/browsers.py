"""Playwright, imported by the tests that need a browser."""

from typing import Any

from .needed import module


def expect(found: Any) -> Any:
    """Playwright's `expect`: its assertions wait until they hold, or for a time limit."""
    playwright = module("playwright.sync_api")
    playwright.expect.set_options(timeout=30_000)  # milliseconds, as long as its other waits: a busy machine is slow
    return playwright.expect(found)
