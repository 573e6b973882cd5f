"""The session as a widget of Jupyter."""

from pathlib import Path
from typing import Any

import anywidget
import traitlets

from lowshot.notebook.session import Session

STATIC = Path(__file__).parent / "static"


class LabelWidget(anywidget.AnyWidget):
    """Displays a session and passes on what somebody does. All of its views show the same item."""

    _esm = STATIC / "widget.js"
    _css = STATIC / "widget.css"
    state = traitlets.Dict().tag(sync=True)
    classes: traitlets.List[str] = traitlets.List().tag(sync=True)  # names of all classes, for the search; sent once

    def __init__(self, session: Session) -> None:
        self.session = session
        super().__init__(state=session.state(), classes=[str(name) for name in session.evaluation.pool.categories])
        self.on_msg(self._receive)

    def _receive(self, _widget: Any, content: Any, _buffers: Any) -> None:
        self.session.receive(content)
        self.state = self.session.state()
