"""The labelling page: annotators answer in a browser, the owner sees the estimate. Extra `[web]`.

    app          `make_app`: the FastAPI app of one evaluation, from the modules below
    server       `serve`: run the app with uvicorn, on 127.0.0.1 by default

    site         what all requests share: the evaluation, its lock, random names for items, the last plan
    which        buttons for a question about classes: some likely ones, in an order that says nothing about them
    kept         answers that take long, kept until labels change; what fewer labels gave

    pages        the HTML pages (templates/, static/) and the pictures on them
    instructions instructions for annotators: Markdown as HTML without scripts
    annotator    requests of the annotator's page: take items, answer, undo
    owner        requests of the owner's page: estimates, categories, comparisons, thresholds, disagreements,
                 decisions, and items without an answer
    overview     requests of the overview page: every evaluation of the store, and all answers
    rest         `/api/v1` for other tools: ask, tell, status, estimate, table, compare, thresholds, choice
    class_rest   the parts of `/api/v1` for pools with many categories

    access       tokens and levels: annotators and the owner
    guard        middleware that refuses foreign hosts, foreign sites, missing tokens and large bodies
    log          the logger; repeated messages are logged once per minute

    digits       demos: handwritten digits, one of them rare; and all of them, with the question which one it is

>>> import tempfile, lowshot, lowshot.web
>>> pool = lowshot.Pool([0.9, 0.8, 0.2], threshold=0.5, ids=["a", "b", "c"])
>>> evaluation = lowshot.Evaluation(pool, store=f"{tempfile.mkdtemp()}/mail.db")
>>> texts = {"a": [("mail", "You have won")], "b": [("mail", "Free money")], "c": [("mail", "Lunch at one?")]}
>>> app = lowshot.web.make_app(evaluation, lowshot.web.Shown("text", texts, question="Is it spam?"))
>>> lowshot.web.serve(app)  # doctest: +SKIP
"""

from lowshot.errors import required_by

with required_by("the labelling page", extra="web"):
    from lowshot.labelling.items import Shown
    from lowshot.web.app import make_app
    from lowshot.web.server import serve

__all__ = ["Shown", "make_app", "serve"]
