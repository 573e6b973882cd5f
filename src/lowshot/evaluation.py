"""The central object: pool + metric + sampler + seed + history; ask, tell, estimate."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from lowshot import asking, checks, comparison, estimation, exported, slicing, telling, thresholding
from lowshot.answer import Label
from lowshot.checks import Id
from lowshot.errors import InputError, required_by
from lowshot.estimation import Target
from lowshot.exported import Weighted
from lowshot.goal import (
    EACH,
    Goal,
    asked_of,
    in_words,
    judged_by,
    models_of,
    one_model,
    refuse_another_model,
)
from lowshot.history import History
from lowshot.journal import Journal, inherit
from lowshot.known import GivenLabels, KnownLabels
from lowshot.markup import html_table
from lowshot.method import Asked, Method
from lowshot.metric import Metric, f_metric
from lowshot.metric import metric as find_metric
from lowshot.pools import columns
from lowshot.pools.base import BasePool, View
from lowshot.prior import Prior, Remembered, without_arguments
from lowshot.result import Budget, Comparison, Estimate, Plan, Table
from lowshot.sampler.base import Sampler
from lowshot.sampler.registry import make
from lowshot.stopping import Stopping, Wanted
from lowshot.stored import find_or_begin
from lowshot.threshold_result import BandKind, ThresholdChoice, Thresholds

if TYPE_CHECKING:
    from lowshot.store import Header, Store

BUDGETS = (50, 100, 300)  # labels: half an hour, an hour and three hours at 40 seconds per item


class Evaluation:
    """Estimate how good a classifier is, from as few labels as possible.

    >>> import lowshot, numpy as np
    >>> random = np.random.default_rng(0)
    >>> truth = random.random(20_000) < 0.002
    >>> pool = lowshot.Pool(scores=random.normal(size=20_000) + 4 * truth, threshold=3)
    >>> evaluation = lowshot.Evaluation(pool, metric="f1", seed=0)
    >>> while evaluation.labels < 100 and (items := evaluation.ask(100 - evaluation.labels)):
    ...     evaluation.tell(items, truth[items])
    >>> print(evaluation.estimate())
    f1 = 0.628, 95 % interval 0.478 to 0.725, from 100 labels

    pool      the items
    metric    "f1" (if not given), "precision", "recall", "f2", FBeta(0.5); or alpha=
    sampler   a name from `lowshot.samplers`, "curve" if not given, with settings={...}; or a sampler
    seed      the same seed and labels give the same draws and estimates; 0 if not given
    goal      what labels are spent on: of several models a model, "each" (the default), "best", or a pair (baseline,
              candidate) for their difference; or Threshold(recall=0.9), which is to be found
    prior     what you know already, such as Prior(prevalence=(0.0005, 0.002)), for sampler "curve"
    known     {id: label} that exist already, chosen in any way; or Known({id: label}, drawn="uniform"), which teaches
              the curve; or a list of both
    store     a file ("birds.db"), postgresql://..., or an open `Store`: labels are written to disk, and other processes
              may use it
    name      of the evaluation in its store; an evaluation that exists is continued with its stored arguments
    question  what people answer; evaluations of the same question share labels. The name, if not given
    about     plain data of your own, stored with the evaluation

    >>> import tempfile
    >>> birds = f"{tempfile.mkdtemp()}/birds.db"
    >>> pool = lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5)
    >>> evaluation = lowshot.Evaluation(pool, metric="recall", store=birds)
    >>> evaluation.tell(evaluation.ask(2), [1, 0])
    >>> lowshot.Evaluation(pool, store=birds)
    Evaluation(Pool(4 items, 2 predicted positive), recall, curve, seed=0, 2 labels)
    """

    def __init__(
        self,
        pool: BasePool,
        metric: str | Metric | None = None,
        sampler: str | Sampler | None = None,
        seed: int | None = None,
        *,
        alpha: float | None = None,
        settings: dict[str, Any] | None = None,
        goal: Goal | None = None,
        prior: Prior | None = None,
        known: KnownLabels | GivenLabels | None = None,
        store: "str | Path | Store | None" = None,
        name: str = "evaluation",
        question: str | None = None,
        about: dict[str, Any] | None = None,
    ) -> None:
        if not isinstance(pool, BasePool):
            raise InputError(f"pool must be a lowshot.Pool: got {type(pool).__name__}; make one with Pool(scores, ...)")
        if pool.categories and type(self) is Evaluation:
            from lowshot.class_evaluation import ClassEvaluation

            self.__class__ = ClassEvaluation  # asks for categories; a __new__ would hide the arguments in help()
        asked = Asked(metric, alpha, sampler, settings, seed, prior, goal)
        method = asked.method(pool)
        self.pool = pool.bind(method.seed)
        method.refuse_pool(self.pool)
        given = GivenLabels.of(known, self.pool.answers)
        self.pool.positions(list(given.labels))  # refuses an id that is not in the pool
        self.store: Store | None = None
        self._header: Header | None = None
        self.began = True  # False if the store had it already
        if store is None:
            journal = self._in_memory(given)
        else:
            self.store, header, self.began = find_or_begin(store, name, question, self.pool, method, given, about or {})
            self._header = header
            if header.seed != method.seed:  # a grouped pool belongs to a seed; to bind it again costs queries
                self.pool = pool.bind(header.seed)
            header.refuse_another_pool(self.pool)
            header.refuse_another("question", question, header.question)
            header.refuse_another_method(**asked.given(method))
            method = Method(header.f, make(header.sampler, header.settings), header.seed)
            journal = self.store.journal(header.name, self.pool, method.sampler, method.metric, method.seed)
        self.metric, self.sampler, self.seed = method
        self._journal = journal
        self.reason = ""  # why the last ask() returned nothing
        if not self.began:
            given.refuse_late(self._history, self.pool, name)

    def _in_memory(self, given: GivenLabels) -> Journal:
        """As many calls deep as `find_or_begin`, so that a warning about `given` names the line of the user."""
        journal = Journal(given.examined(self.pool).history(self.pool))
        if given.inherits is not None:
            inherit(journal, given.inherits)
        return journal

    @property
    def name(self) -> str | None:
        """Its name in the store; None in memory."""
        return None if self._header is None else self._header.name

    @property
    def question(self) -> str | None:
        """The question that people answer; None in memory."""
        return None if self._header is None else self._header.question

    @property
    def prior(self) -> Prior | None:
        """What the user knew before the first label; None if nothing was given."""
        return self.sampler.prior

    @property
    def goal(self) -> Goal:
        """What labels are spent on: a model, "each", "best", (baseline, candidate), or a `Threshold`."""
        return self.pool.models[0] if self.sampler.goal is None else self.sampler.goal

    @property
    def model(self) -> str | None:
        """The model that the goal is about; None if it is about several."""
        return judged_by(self.goal, self.pool.models)

    @property
    def view(self) -> View:
        """The pool as the model sees that the goal is about; of several models, the first."""
        return self.pool.view(self.model)

    def transaction(self) -> AbstractContextManager[None]:
        """Make several changes as one: all of them or, if one fails, none. Other processes cannot write meanwhile."""
        return self._journal.transaction()

    def __repr__(self) -> str:
        goal = "" if self.sampler.goal is None else f", goal={self.goal!r}"
        method = f"{self.metric.name}, {self.sampler.name}, seed={self.seed}{goal}"
        return f"Evaluation({self.pool}, {method}, {self.labels} labels)"

    @property
    def _history(self) -> History:
        self._journal.refresh()
        return self._journal.history

    @property
    def journal(self) -> Journal:
        """What it writes to; for modules that write rows of their own in the same transaction."""
        return self._journal

    @property
    def labels(self) -> int:
        """Labels bought so far: distinct items that were asked and answered, including "cannot tell"."""
        history = self._history
        return len(history.labels) - len(history.known)

    @property
    def pending(self) -> list[Id]:
        """Items that were asked and not answered yet."""
        return self.pool.names(asking.pending(self._history))

    def ask(self, n: int = 1) -> list[Id]:
        """Up to `n` items to label next; at most what is left of the round.

        While a whole round is handed out and not yet answered, it is extended with further draws. An
        empty list means that nothing can be handed out now; `reason` says why.
        """
        checks.whole_number("n", n, 1)
        with self._journal.transaction():
            method = Method(self.metric, self.sampler, self.seed)
            items, self.reason = asking.ask(self._journal, self.pool, self._wanted, self.view, method, n)
            return self.pool.names(items)

    @property
    def _wanted(self) -> tuple[str, ...]:
        """The models that the goal is about."""
        return models_of(self.goal, self.pool.models)

    def tell(
        self, items: Iterable[Id] | Mapping[Id, Any], labels: Iterable[Any] | None = None, *, category: Id | None = None
    ) -> None:
        """Answers by id: 0, 1, or None for "cannot tell". Any order, any subset of what was asked.

        items     the ids, with labels in the same order; or {id: label}, without labels
        category  only with many classes (`ClassPool`)
        """
        refuse_category(category)
        items, labels = telling.pairs(items, labels)
        listed = checks.listed("items", items)
        refuse_another_order(self.pool, items, listed, labels)
        telling.tell(self._journal, self.pool, listed, self.pool.answers.check_all(listed, labels))

    def correct(self, item: Id, label: Any) -> None:
        """Change an answer. Draws that were made stay as they are; the history keeps the old answer."""
        telling.correct(self._journal, self.pool, item, self.pool.answers.check(item, label))

    def settled(self, item: Id, label: Label) -> None:
        """The answers of several people settled this label, as stores have it: it is told, or corrected."""
        telling.settle(self._journal, self.pool, item, label)

    def estimate(
        self,
        metric: str | Metric | None = None,
        *,
        model: str | None = None,
        category: Id | None = None,
        where: Mapping[str, Any] | None = None,
        predictions: Any = None,
        confidence: float = 0.95,
        target: Target = "pool",
    ) -> Estimate:
        """The estimate from the labels so far.

        metric       another metric from the same labels: any F, "tp", "fp", "fn", "prevalence"
        model        which of several models; not needed if the goal is one of them
        category     only with many classes (`ClassPool`)
        where        a part of the pool by its slices, such as {"camera": "north", "month": [1, 2]}
        predictions  of another model or threshold: N values in pool order, or {id: prediction}
        confidence   of the interval
        target       "pool", or "population": the pool is then a random sample of it
        """
        checks.number("confidence", confidence, 0.01, 0.9999)
        checks.choice("target", target, ("pool", "population"))
        refuse_category(category)
        wanted = self.metric if metric is None else find_metric(metric)
        if predictions is None:
            view = self.pool.view(self._judged(model))
        elif model is None:
            view = self.pool.with_predictions(predictions).view()
        else:
            raise InputError("give either model or predictions: got both")
        if where is not None:
            if target == "population":
                raise InputError("target must be 'pool' where a part of it is asked for with where: got 'population'")
            slices = self.pool.slices
            return slicing.estimate(self.sampler, view, self._history, wanted, confidence, slices, where)
        return estimation.estimate(self.sampler, view, self._history, wanted, confidence, target)

    def _judged(self, model: str | None) -> str:
        if model is not None:
            return one_model("model", model, self.pool.models)
        if self.model is None:
            raise InputError(
                f"model must be given, because the evaluation judges several: {', '.join(self.pool.models)};"
                " or see all of them with table()"
            )
        return self.model

    def compare(
        self,
        baseline: str,
        candidate: str,
        *,
        metric: str | Metric | None = None,
        margin: float = 0.0,
        where: Mapping[str, Any] | None = None,
        confidence: float = 0.95,
    ) -> Comparison:
        """How much better the candidate is than the baseline, from the labels so far.

        >>> import lowshot
        >>> scores = {"v1": [0.9, 0.8, 0.7, 0.2, 0.1], "v2": [0.9, 0.6, 0.3, 0.8, 0.1]}
        >>> pool = lowshot.Pool(scores, threshold=0.5)
        >>> evaluation = lowshot.Evaluation(pool, goal=("v1", "v2"))
        >>> evaluation.tell(evaluation.ask(5), [1] * 5)
        >>> print(evaluation.compare("v1", "v2"))
        v2 and v1 are tied: f1 is the same, 95 % interval 0.000 to 0.000, v2 is better with probability 0 %, ...

        metric      any F; that of the evaluation if not given
        margin      a difference up to this does not matter
        where       a part of the pool by its slices, such as {"camera": "north"}
        confidence  of the interval, and so of the verdict
        """
        pair = one_model("baseline", baseline, self.pool.models), one_model("candidate", candidate, self.pool.models)
        if baseline == candidate:
            raise InputError(f"candidate must be another model than the baseline: got {candidate!r} for both")
        checks.number("margin", margin, 0.0, 1.0)
        checks.number("confidence", confidence, 0.01, 0.9999)
        wanted = self.metric if metric is None else find_metric(metric)
        part = None if where is None else self.pool.slices.where(where)
        return comparison.compare(self.sampler, self.pool, self._history, pair, wanted, margin, confidence, part)

    def table(
        self,
        by: str = "model",
        *,
        model: str | None = None,
        metric: str | Metric | None = None,
        below: float | None = None,
        confidence: float = 0.95,
    ) -> Table:
        """Estimates side by side: of all models, each with the probability that it is the best one, or of slices.

        >>> import lowshot
        >>> cameras = ["north", "south", "north", "south", "north"]
        >>> pool = lowshot.Pool([0.9, 0.8, 0.7, 0.2, 0.1], threshold=0.5, slices={"camera": cameras})
        >>> evaluation = lowshot.Evaluation(pool)
        >>> evaluation.tell(evaluation.ask(5), [1] * 5)
        >>> print(evaluation.table(by="camera", below=0.75))
        camera  f1     95 % interval   below 0.75  labels  items  predicted
        north   0.800  0.800 to 0.800  0 %         3       3      2
        south   0.667  0.667 to 0.667  100 %       2       2      1

        by          "model", or a column of the pool's slices: a row for each of its values
        model       of slices: which of several models; not needed if the goal is one of them
        below       of slices: a line; each row has the probability that the metric is below it
        confidence  of the intervals
        """
        checks.number("confidence", confidence, 0.01, 0.9999)
        if by != "model":
            return self._slices(by, model, metric, below, confidence)
        for argument, value in (("below", below), ("model", model)):
            if value is not None:
                raise InputError(f"{argument} must be left out with by='model': got {value!r}; name a column of slices")
        wanted = f_metric(self.metric if metric is None else metric)
        return comparison.table(self.sampler, self.pool, self._history, wanted, confidence)

    def _slices(
        self, by: str, model: str | None, metric: str | Metric | None, below: float | None, confidence: float
    ) -> Table:
        self.pool.slices.column(by)  # refused before anything else that may be wrong
        wanted = self.metric if metric is None else find_metric(metric)
        line = None if below is None else checks.finite("below", below)
        view, slices = self.pool.view(self._judged(model)), self.pool.slices
        return slicing.table(self.sampler, view, self._history, wanted, confidence, slices, by, line)

    def thresholds(
        self, *, model: str | None = None, band: BandKind = "pointwise", confidence: float = 0.95
    ) -> Thresholds:
        """Precision, recall and F1 at every threshold, from the labels so far.

        model       which of several models; not needed if the goal is one of them
        band        "pointwise": each interval holds on its own; "simultaneous": all of them hold at once
        confidence  of the bands
        """
        checks.choice("band", band, get_args(BandKind))
        checks.number("confidence", confidence, 0.01, 0.9999)
        return thresholding.thresholds(self.sampler, self.pool, self._history, self._judged(model), band, confidence)

    def choose_threshold(
        self,
        *,
        recall: float | None = None,
        precision: float | None = None,
        maximise: str | None = None,
        reading: str | None = None,
        model: str | None = None,
        confidence: float | None = None,
    ) -> ThresholdChoice:
        """The threshold for a target: the smallest set with this recall, or the largest one with this precision.

        >>> import lowshot
        >>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.7, 0.2, 0.1], threshold=0.5))
        >>> evaluation.tell(evaluation.ask(5), [1] * 5)
        >>> evaluation.choose_threshold(recall=0.8, reading="bare").threshold
        0.2

        recall      of what is kept: at least this
        precision   of what is kept: at least this
        maximise    "f1" or another F: the threshold where it is largest, among those that reach the targets
        reading     what has to reach the targets: "set" (the default), the items that the threshold keeps, with
                    labelled positives below it and without labelled negatives above it; "bare", those that it keeps
        model       which of several models; not needed if the goal is one of them
        confidence  the probability with which a certified threshold reaches the targets; 0.95, or that of the goal

        Without a target, that of goal=Threshold(...).
        """
        targets = {"recall": recall, "precision": precision, "maximise": maximise}
        wanted, judged = (
            asked_of(self.goal, targets, {"reading": reading, "confidence": confidence}),
            self._judged(model),
        )
        if wanted.by_design:
            refuse_another_model(judged, self.model)
        return thresholding.choose(self.sampler, self.pool, self._history, wanted, judged)

    def plan(
        self,
        half_width: float | None = None,
        *,
        verdict: bool = False,
        margin: float = 0.0,
        confidence: float | None = None,
    ) -> Plan:
        """The total number of labels until the interval is this narrow, or a verdict is there: low, likely and high.

        half_width  of the interval of what the goal is about: of each model, or of a difference; 0.05 if not given
        verdict     until goal (baseline, candidate) is decided, until the best model is known with goal "best", or
                    until a threshold is certified with goal Threshold(...)
        confidence  of the interval or the verdict; 0.95, or that of the goal if it is a threshold

        With many classes it is the interval of the average, or of every category that the goal names.
        Sampler "curve" can plan before the first label, from the scores alone; other samplers need some labels first,
        and so does a threshold that the posterior certifies.
        """
        return self._plan(Wanted(half_width, verdict, margin, confidence))

    def _plan(self, wanted: Wanted) -> Plan:
        return self._stopping.plan(wanted)

    def budgets(self, labels: Sequence[int] = BUDGETS, *, confidence: float = 0.95) -> tuple[Budget, ...]:
        """What numbers of labels buy: the half-width of the interval to expect with each, and its range.

        >>> import lowshot, numpy as np
        >>> pool = lowshot.Pool(np.linspace(0, 1, 1000) ** 9, threshold=0.5)
        >>> [str(one) for one in lowshot.Evaluation(pool).budgets([50, 100])]
        ['50 labels: typically ± 0..., nine of ten runs at most ± 0...', '100 labels: ...']

        labels  total numbers of labels; those that the evaluation already has, and those that the pool has not, are
                left out

        It is `plan` turned round, from the same simulations: where nine of ten runs are at most ± 0.05 with 300 labels,
        nine of ten runs need at most 300 labels for ± 0.05.
        """
        return self._stopping.budgets(labels, confidence)

    def stop_when(
        self,
        half_width: float | None = None,
        *,
        verdict: bool = False,
        margin: float = 0.0,
        confidence: float | None = None,
    ) -> bool:
        """Whether labelling can stop: the interval is this narrow, or there is a verdict. Arguments as for `plan`.

        With many classes: the interval of the average, or of every category that the goal names.
        """
        return self._reached(Wanted(half_width, verdict, margin, confidence))

    def _reached(self, wanted: Wanted) -> bool:
        return self._stopping.reached(wanted)

    @property
    def _stopping(self) -> Stopping:
        return Stopping(self.sampler, self.pool, self._history, self.metric)

    def with_model(
        self,
        name: str,
        scores: Any = None,
        *,
        threshold: float | None = None,
        predictions: Any = None,
        goal: Goal | None = None,
        as_name: str | None = None,
        about: dict[str, Any] | None = None,
    ) -> "Evaluation":
        """A new evaluation with one more model, which inherits the rounds and labels of this one.

        Labels that were drawn for the old models estimate the new one at once; further ones are drawn for the goal.

        scores       of the new model, one per item; None: it has predictions only
        threshold    or predictions, as for a Pool
        goal         of the new evaluation; if not given, the new model against the one that the goal was about (the
                     only model, or the candidate of a pair), otherwise "each"
        as_name      its name in the store of this one; "NAME with MODEL" if not given
        about        plain data of your own, stored with it
        """
        if self.sampler.name != "curve":
            raise InputError(
                f"a model can be added with sampler 'curve' only: this evaluation has {self.sampler.name!r}"
            )
        if self.store is None and as_name is not None:
            raise InputError("as_name must be left out for an evaluation in memory, which has no name")
        begun = f"{self.name or 'evaluation'} with {name}" if as_name is None else checks.text("as_name", as_name)
        new = Evaluation(
            self.pool.with_model(name, scores, threshold=threshold, predictions=predictions),
            self.metric,
            self.sampler.name,
            self.seed,
            settings=without_arguments(self.sampler.settings),
            goal=self._goal_with(name) if goal is None else goal,
            prior=None if self.prior is None else self.prior.for_others(),
            known=GivenLabels.inherited(self.snapshot(), self.pool),
            store=self.store,
            name=begun,
            question=self.question,
            about=about,
        )
        if not new.began:
            raise InputError(
                f"as_name must be that of a new evaluation: the store has {begun!r} already; open that one, or give"
                " another name"
            )
        return new

    def _goal_with(self, name: str) -> Goal:
        """The goal if this model comes later and the user says nothing."""
        if isinstance(self.goal, tuple):
            return self.goal[1], name
        return EACH if self.model is None else (self.model, name)

    def weights(self, round_number: int | None = None) -> Weighted:
        """The labelled items of one round with their weights; by default the last round that the estimate uses.

        (times drawn) p/(m q) for draws and p, that is 1/N, for reused items: with them scikit-learn's
        `f1_score(labels, predictions, sample_weight=weights)` gives the estimate of the round. For samplers that use
        one round (rand, sawade, acis_last) it is the estimate of the evaluation; acis averages several rounds. The
        estimates of iso and platt differ, because they also predict the labels of unlabelled items.
        """
        return exported.weights(self.sampler, self.pool, self._history, round_number)

    def remembered(self) -> Remembered:
        """The fitted curves as plain numbers, for `Prior(like=evaluation)`."""
        return self.sampler.remembered(self.view, self._history, self.metric)

    def snapshot(self) -> History:
        """A copy of the rounds and answers, as samplers see them; later changes do not affect it."""
        return self._history.copied()

    def at(self, history: History) -> "Evaluation":
        """The same evaluation in memory, with the rounds and answers of another history: that of an earlier time, or a
        snapshot that a thread can compute with while others label. Nothing that happens to it is stored.

        >>> import lowshot
        >>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5))
        >>> evaluation.tell(evaluation.ask(4), [1, 1, 0, 0])
        >>> evaluation.at(evaluation.snapshot().until(2)).labels
        2
        """
        then = copy(self)
        then.store, then._header, then._journal = None, None, Journal(history.copied())
        return then

    @property
    def history(self) -> dict[str, Any]:
        """The whole history as plain data: header, rounds with their draws, answers, labels."""
        header = {
            "pool": self.pool.fingerprint,
            "metric": self.metric.name,
            "alpha": self.metric.alpha,
            "sampler": self.sampler.name,
            "settings": self.sampler.settings,
            "seed": self.seed,
        }
        return {"header": header, **exported.plain(self.pool, self._history)}

    def plot(self, ax: Any = None) -> Any:
        """What the goal is about, with its interval, against the number of labels, on Matplotlib axes.

        For goal (baseline, candidate) that is the difference of the two, and for several models one line per model.
        Extra `[plots]`.

        ax  axes to draw on; new ones if not given

        The axes are returned. A point is what the estimate would have been, had labelling stopped there.
        """
        from lowshot.charts import estimate_path, model_paths

        history, goal = self.snapshot(), self.goal
        if isinstance(goal, tuple):
            return model_paths.plot_difference(lambda then: self.at(then).compare(*goal), history, ax)
        if self.model is None:
            return model_paths.plot_models(self.sampler, self.pool, self.metric, history, ax)
        return estimate_path.plot(estimate_path.Estimator(self.sampler, self.view, self.metric), history, ax)

    def widget(
        self, show: Any = None, *, question: str | None = None, labels: int | None = None, solo: bool = False
    ) -> Any:
        """A widget that labels inside Jupyter, one item at a time. Extra `[notebook]`.

        show      what is shown of an item: a function from its id, {id: ...}, or a data frame of pandas whose index
                  has the ids. It gives a text, a picture (a path, bytes, an image of Pillow or an array), or a mapping
                  of fields with these. If not given: the columns that the pool shows, or else the id
        question  what is asked; that of the evaluation if not given
        labels    how many labels the evaluation shall have; the widget is done then. None: until nothing is left to ask
        solo      whether the estimate is shown while items are labelled. Who sees it may stop at a number they like, so
                  it is hidden until the widget is done

        Every answer is told to this evaluation before the next item is shown. Items that were asked before and have no
        label come first, so that a cell can be run again at any time.
        """
        from lowshot.notebook.session import Session

        with required_by("a widget", extra="notebook"):  # before a session asks for an item
            from lowshot.notebook.widget import LabelWidget
        return LabelWidget(Session(self, show, question=question, labels=labels, solo=solo))

    def _repr_html_(self) -> str:
        goal = self.goal
        compared = self.compare(*goal)._repr_html_() if isinstance(goal, tuple) else ""
        answer = self.table() if self.model is None else self.estimate()
        return self._facts() + compared + answer._repr_html_()

    def _facts(self) -> str:
        """What is evaluated, and how, as a table for notebooks."""
        rows = [
            ("evaluation", self.name),
            ("question", self.question if self.question != self.name else None),
            ("pool", str(self.pool)),
            ("goal", None if self.sampler.goal is None else in_words(self.goal, bool(self.pool.categories))),
            ("metric", self.metric.name),
            ("sampler", f"{self.sampler.name}, seed {self.seed}"),
            ("labels", f"{self.labels:,}"),
        ]
        return html_table([], [(name, text) for name, text in rows if text is not None])


def refuse_another_order(pool: BasePool, given: Any, items: list[Any], labels: Any) -> None:
    """Labels are read by position: refuse those of pandas whose index has the same items in another order.

    given  the items as the user gave them, which may have an index of their own
    """
    if not hasattr(labels, "iloc"):
        return
    orders = [given.index] if hasattr(given, "iloc") else []
    if any(columns.equal(labels.index, order) for order in orders):
        return
    advice = "labels.loc[items]"
    if pool.index is not None:
        places = [place for place in pool.find(items) if place is not None]
        rows = pool.index.take(places)
        if places == items and not columns.equal(rows, items):
            advice = "labels.loc[pool.index[items]]"
            _refuse_positions(rows, items, labels, advice)
        orders.append(rows)
    columns.in_order("labels", labels.index, [*orders, items], "items", f"reorder them with {advice}")


def _refuse_positions(rows: Any, items: list[Any], labels: Any, advice: str) -> None:
    """Items of a pool without ids are positions. If the index of its table has numbers, too, `labels.loc[items]` finds
    the labels of other items, and looks like labels in the right order.

    rows  what the index of the table calls the items
    """
    if rows.inferred_type == "integer" and columns.equal(labels.index, items):
        raise InputError(
            "labels must be in the order of items: items are positions in the pool, and the index of labels has the"
            f" same numbers, which mean other rows in the index of the pool; give {advice}, or plain values with"
            " .to_numpy() if their order is right"
        )


def refuse_category(category: Id | None) -> None:
    """A pool of yes and no has one category, which has no name."""
    if category is not None:
        raise InputError(
            f"category must be left out, because the pool has one: got {category!r}; make a lowshot.ClassPool for a"
            " classifier with many classes"
        )
