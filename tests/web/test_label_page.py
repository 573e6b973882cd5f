"""The annotator's page for everybody: axe, three widths, light and dark."""

from lowshot.web.digits import Demo

from .axe import refuse_findings
from .desktop import Open


def test_everybody_can_use_it(desktop: Open, demo: Demo) -> None:
    page = desktop().person()
    page.goto("/")
    refuse_findings(page)
