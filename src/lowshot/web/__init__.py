"""The labelling page: people look at items in a browser, the owner sees the estimate. Extra `[web]`.

items        how an item is shown: a picture, a text or several fields; pictures from under one folder, by random names
site         what all handlers share: one evaluation, one lock, the last plan
annotator    the annotator's requests
owner        the owner's requests
overview     every evaluation of the store, and who said what
rest         `/api/v1`, for other tools
pages        the pages themselves
access       who may see what
guard        what is refused before any handler sees it
connections  how many, and for how long
seldom       the same message in the log once a minute
app          all of it together                          `make_app`
server       on 127.0.0.1, unless told otherwise         `serve`
digits       handwritten digits to try it with

>>> import tempfile, lowshot, lowshot.web
>>> pool = lowshot.Pool([0.9, 0.8, 0.2], threshold=0.5, ids=["a", "b", "c"])
>>> evaluation = lowshot.Evaluation(pool, store=f"{tempfile.mkdtemp()}/mail.db")
>>> texts = {"a": [("mail", "You have won")], "b": [("mail", "Free money")], "c": [("mail", "Lunch at one?")]}
>>> app = lowshot.web.make_app(evaluation, lowshot.web.Shown("text", texts, question="Is it spam?"))
>>> lowshot.web.serve(app)  # doctest: +SKIP
"""

from lowshot.errors import MissingExtra

try:
    from lowshot.web.app import make_app
    from lowshot.web.items import Shown
    from lowshot.web.server import serve
except ModuleNotFoundError as error:
    if (error.name or "").startswith("lowshot"):
        raise
    raise MissingExtra(f"the labelling page needs {error.name}: pip install 'lowshot[web]'") from None

__all__ = ["Shown", "make_app", "serve"]
