"""Playwright, imported by the tests that need a browser."""

from typing import TYPE_CHECKING, Any

from .needed import module

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

# Milliseconds that anything is waited for. Only what never comes takes so long: on a busy machine, where other tests
# and servers run too, a page may need many times the seconds that it needs alone.
LONG_MS = 180_000


def expect(found: Any) -> Any:
    """Playwright's `expect`: its assertions wait until they hold, or for a time limit."""
    playwright = module("playwright.sync_api")
    playwright.expect.set_options(timeout=LONG_MS)
    return playwright.expect(found)


def new_context(chromium: "Browser", **settings: Any) -> "BrowserContext":
    """A new context, whose pages wait as long as `expect` does: clicks, navigations, downloads and so on."""
    context = chromium.new_context(**settings)
    context.set_default_timeout(LONG_MS)
    return context
