"""Playwright, imported by the tests that need a browser."""

from typing import Any

from .needed import module


def expect(found: Any) -> Any:
    """Playwright's `expect`: its assertions wait until they hold, or for a time limit."""
    return module("playwright.sync_api").expect(found)
