"""`lowshot.Evaluation`: in memory, or in a store that survives."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lowshot import checks, evaluation
from lowshot.checks import Id
from lowshot.errors import InputError, MissingExtra
from lowshot.metric import Metric
from lowshot.pools.base import BasePool
from lowshot.sampler.base import Sampler
from lowshot.sampler.registry import make

if TYPE_CHECKING:
    from lowshot.store import Header, Store


class Default(Enum):
    """Not given. None would be taken for a mistake, as it should be."""

    DEFAULT = "as it began, or the usual one"


DEFAULT = Default.DEFAULT
STORED = """
    store     a file ("birds.db") or postgresql://...: labels survive, and another process may work in it, too. Or a
              `lowshot.store.Store` that is open; with read_only=True the evaluation can be looked at and not changed
    name      of the evaluation in its store; one that is there is continued with what it began with
    question  what people answer: evaluations of the same question share its labels. Its name, if not given
    about     anything of yours to keep with it, as plain data

    >>> import tempfile
    >>> birds = f"{tempfile.mkdtemp()}/birds.db"
    >>> pool = lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5)
    >>> evaluation = lowshot.Evaluation(pool, metric="recall", store=birds)
    >>> evaluation.tell(evaluation.ask(2), [1, 0])
    >>> lowshot.Evaluation(pool, store=birds)
    Evaluation(Pool(4 items, 2 predicted positive), recall, curve, seed=0, 2 labels)
    """


class Evaluation(evaluation.Evaluation):
    __doc__ = f"{(evaluation.Evaluation.__doc__ or '').rstrip()}{STORED}"

    def __init__(
        self,
        pool: BasePool,
        metric: str | Metric | Default = DEFAULT,
        sampler: str | Sampler | Default = DEFAULT,
        seed: int | Default = DEFAULT,
        *,
        alpha: float | None = None,
        settings: dict[str, Any] | None = None,
        known: Mapping[Id, Any] | None = None,
        store: "str | Path | Store | None" = None,
        name: str = "evaluation",
        question: str | None = None,
        about: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(
            pool,
            "f1" if metric is DEFAULT else metric,
            "curve" if sampler is DEFAULT else sampler,
            0 if seed is DEFAULT else seed,
            alpha=alpha,
            settings=settings,
            known=known,
        )
        self.store: Store | None = None
        self._header: Header | None = None
        self.began = store is None  # here and now; False if it was there before
        if store is None:
            return
        for what, text in (("name", name), ("question", name if question is None else question)):
            checks.text(what, text)
        self.store = open_store(store)
        # If another process begins one of this name at the same moment, its header comes back: checked like any other.
        header = self.store.find(name) or self._begin(name, question or name, about or {})
        if header.seed != self.seed:
            self.pool = pool.bind(header.seed)  # a pool that is grouped belongs to a seed
        header.refuse_another_pool(self.pool)
        header.refuse_another("question", question, header.question)
        metric_given, sampler_given = metric is not DEFAULT or alpha is not None, sampler is not DEFAULT
        header.refuse_another("metric", self.metric.name if metric_given else None, header.metric)
        header.refuse_another("sampler", self.sampler.name if sampler_given else None, header.sampler)
        settings_given = sampler_given or settings is not None
        header.refuse_another("settings", self.sampler.settings if settings_given else None, header.settings)
        header.refuse_another("seed", None if seed is DEFAULT else seed, header.seed)
        self._continue(header, known)

    @property
    def name(self) -> str | None:
        """Its name in the store; None in memory."""
        return None if self._header is None else self._header.name

    @property
    def question(self) -> str | None:
        """What people answer; None in memory."""
        return None if self._header is None else self._header.question

    def turn(self) -> AbstractContextManager[None]:
        """Several changes of a store as one: all of them or, if one fails, none. Others wait meanwhile."""
        return self._journal.turn()

    def _begin(self, name: str, question: str, about: dict[str, Any]) -> "Header":
        """With the labels that other evaluations of the question have, and the known ones."""
        from lowshot.store import Header

        assert self.store is not None
        if self.store.read_only:
            names = ", ".join(repr(header.name) for header in self.store.headers()) or "none"
            raise InputError(
                f"name must be an evaluation of the store, which is only looked at: got {name!r}, of {names}"
            )
        refuse_unstorable(self.pool)
        known = dict(zip(self.pool.names(list(self._history.labels)), self._history.labels.values(), strict=True))
        labels = {**self.store.labels_of(question, self.pool), **{i: int(v) for i, v in known.items() if v is not None}}
        wanted = Header.of(name, question, self.pool, self.metric, self.sampler, self.seed, about)
        found = self.store.begin(wanted, labels)
        self.began = found is wanted
        return found

    def _continue(self, header: "Header", known: Mapping[Id, Any] | None) -> None:
        assert self.store is not None
        self._header = header
        self.metric, self.sampler, self.seed = header.f, make(header.sampler, header.settings), header.seed
        self._journal = self.store.journal(header.name, self.pool, self.sampler, self.metric, self.seed)
        late = [item for item in known or {} if self.pool.position(item) not in self._history.known]
        if late:
            raise InputError(
                f"known labels are those that evaluation {header.name!r} began with: {late[0]!r} was not among them;"
                " leave them out, or begin another evaluation with another name"
            )


def refuse_unstorable(pool: BasePool) -> None:
    """Before anything is begun, where ids are in memory; others are refused when they are drawn."""
    if pool.grouped or isinstance(pool.names([0])[0], int):
        return
    names = [str(name) for name in pool.names(range(len(pool)))]
    try:
        checks.storable("ids", "\n".join(names))  # all at once: one by one would take long
    except InputError:
        for name in names:
            checks.storable("ids", name)
        raise


def open_store(where: "str | Path | Store", read_only: bool = False) -> "Store":
    """The store at a path or URL; one that is not there yet is made. One that is open already stays as it is."""
    try:
        from lowshot.store import Store
    except ModuleNotFoundError as error:
        raise MissingExtra(f"a store needs {error.name}: pip install 'lowshot[store]'") from None
    return where if isinstance(where, Store) else Store(where, read_only)
