"""Log an evaluation to a run of Weights & Biases. Extra `[wandb]`.

    import wandb, lowshot.integrations.wandb

    with wandb.init(project="birds"):
        lowshot.integrations.wandb.log(evaluation)

The run has metrics (`f1`, `f1_low`, `f1_high`) that are drawn against `labels`, the config `lowshot.seed`, ..., the
texts `lowshot.verdict`, ... in its summary, tables, the report, and all files as an artifact of type "evaluation".
docs/how-to/mlflow.md has examples that run.
"""

import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lowshot.errors import InputError, ServiceError, required_by, without_password
from lowshot.evaluation import Evaluation
from lowshot.integrations.logged import Options, Wanted, gathered, identity
from lowshot.integrations.run_record import OWN, REPORT, Logged, LoggedRun, cells, refused

if TYPE_CHECKING:
    from wandb import Run

TYPE = "evaluation"  # of the artifact
FILES = f"{OWN}files"  # in the summary: which files were sent
TIME = re.compile(rb"\d{4}-\d\d-\d\d \d\d:\d\d UTC")  # as reports have it
ANSWER_S = 30  # seconds in which a server must answer when a run begins; the client's own 90 are silent
UPLOAD_S = 600  # seconds in which all must be uploaded at the end; the client itself would wait for ever


def log(
    evaluation: Evaluation,
    *,
    metric: Wanted = None,
    model: str | None = None,
    confidence: float = 0.95,
    margin: float = 0.0,
    report: bool | str | Path = True,
    prefix: str = "",
    run: "Run | None" = None,
    project: str | None = None,
) -> LoggedRun:
    """Log the estimate from the labels so far to the active run of Weights & Biases, or to a new one if none is active.

    metric      one, or a list of them; that of the evaluation if not given
    model       which of several models, with plain names such as "f1"; all of them if not given, as "v1/f1"
    confidence  of the intervals
    margin      a difference between models that does not matter, as for `Evaluation.compare`
    report      whether the HTML report is logged; or the path of one that was written before
    prefix      before every name, such as "val_", for a second evaluation in the same run
    run         another run than the active one
    project     of a new run

    The x-axis is the number of labels: who logs again after more labels gets a curve, and who logs again without new
    labels changes nothing, but for files that the run does not have yet, such as a report. A metric that is undefined
    is left out, and lowshot.reason in the summary says why. The config is what the evaluation was begun with; a run
    that has that of another evaluation is refused.
    """
    active = _wandb().run if run is None else run
    if active is not None and project is not None:
        raise InputError(f"project must be left out where there is a run already: got {project!r}; end that run first")
    options = Options(metric, model, confidence, margin, prefix, report)
    return _log(evaluation, options, _run_in_use(evaluation, active, project))


def log_to_own_run(evaluation: Evaluation, options: Options, project: str | None, run_id: str | None) -> LoggedRun:
    """Log to the run of this evaluation, or to one that is named, as `run_of` finds or makes it."""
    return _log(evaluation, options, run_of(evaluation, project, run_id))


def _log(evaluation: Evaluation, options: Options, run: "AbstractContextManager[Run]") -> LoggedRun:
    """No run is made if what is asked for cannot be computed: `run` is entered last."""
    tracker = _wandb()
    with gathered(evaluation, options) as (found, folder), _errors(tracker), run as opened:
        return _send(tracker, opened, found, folder)


@contextmanager
def _run_in_use(evaluation: Evaluation, active: "Run | None", project: str | None) -> Iterator["Run"]:
    """The active run, or a new one."""
    if active is not None:
        yield active
    else:
        tracker = _wandb()
        with tracker.init(project=project, name=evaluation.name, job_type=TYPE, settings=_settings(tracker)) as run:
            yield run


def _send(tracker: Any, run: Any, found: Logged, folder: Path) -> LoggedRun:
    config, before = dict(run.config), dict(run.summary)
    found.refuse_another({**before, **config}, f"run {run.id}")
    run.config.update({name: value for name, value in found.params.items() if name not in config})
    run.summary.update({name: text or "" for name, text in found.notes.items() if text or before.get(name)})
    changed = any(before.get(name) != value for name, value in found.metrics.items())
    if changed:
        _draw_against_labels(run, found)
    files, sent = _digests(folder), str(before.get(f"{found.prefix}{FILES}", "")).splitlines()
    if changed or not set(files) <= set(sent):
        if shown := {**(found.metrics if changed else {}), **_pages(tracker, found, folder)}:
            run.log(shown)
        _send_files(tracker, run, found, folder)
        run.summary[f"{found.prefix}{FILES}"] = "\n".join(files)  # last: what failed is sent again the next time
    return LoggedRun(run.id, without_password(run.url or "") or str(Path(run.dir).parent), found)


def _draw_against_labels(run: Any, found: Logged) -> None:
    labels = f"{found.prefix}labels"
    run.define_metric(labels)
    for name in found.metrics:
        if name != labels:
            run.define_metric(name, step_metric=labels)


def _send_files(tracker: Any, run: Any, found: Logged, folder: Path) -> None:
    artifact = tracker.Artifact(f"{found.folder.replace('/', '-')}-{run.id}", type=TYPE)
    artifact.add_dir(str(folder))
    run.log_artifact(artifact)


def _digests(folder: Path) -> list[str]:
    """A line per file, which is another one if its content changes. When a report was written is not its content."""
    contents = {path.name: TIME.sub(b"", path.read_bytes()) for path in sorted(folder.iterdir())}
    return [f"{name} {sha256(content).hexdigest()[:16]}" for name, content in contents.items()]


def _pages(tracker: Any, found: Logged, folder: Path) -> dict[str, Any]:
    """Tables and the report, as the page of the run shows them."""
    shown = {}
    for name, table in found.tables.items():
        header, rows = cells(table)
        shown[f"{found.prefix}{name}"] = tracker.Table(columns=header, data=rows, allow_mixed_types=True)
    if (folder / REPORT).exists():
        shown[f"{found.prefix}report"] = tracker.Html(str(folder / REPORT), inject=False)
    return shown


@contextmanager
def run_of(evaluation: Evaluation, project: str | None = None, run_id: str | None = None) -> Iterator["Run"]:
    """The run in which this evaluation was logged before, or a new one: for programs without an active run, such as
    `lowshot log`. The evaluation of a store has the same id each time, so that Weights & Biases continues its run."""
    tracker, notes = _wandb(), identity(evaluation)
    own = sha256(repr(sorted(notes.items())).encode()).hexdigest()[:16] if notes else None
    settings = _settings(tracker, console="off", silent=True)  # what a command prints is its own
    with _errors(tracker):
        run = tracker.init(
            project=project, name=evaluation.name, job_type=TYPE, id=run_id or own, resume="allow", settings=settings
        )
    with run:
        yield run


def _settings(tracker: Any, **more: Any) -> Any:
    """Settings of a run that waits for a server no longer than this, unless the environment says how long."""
    limits = {"init_timeout": ANSWER_S, "finish_timeout": UPLOAD_S, "finish_timeout_raises": True}
    free = {name: limit for name, limit in limits.items() if f"WANDB_{name.upper()}" not in os.environ}
    return tracker.Settings(**free, **more)


def _wandb() -> Any:
    with required_by("logging to Weights & Biases", extra="wandb"):
        import wandb
    return wandb


@contextmanager
def _errors(tracker: Any) -> Iterator[None]:
    """Errors of Weights & Biases as errors of lowshot, on one line."""
    try:
        yield
    except (tracker.errors.AuthenticationError, tracker.errors.UsageError) as error:
        raise refused("Weights & Biases", error) from error
    except (tracker.Error, TimeoutError) as error:
        raise _unreached(tracker, error) from error


def _unreached(tracker: Any, error: Exception) -> ServiceError:
    """What to do if the server does not answer, or is too slow. The client speaks of its own settings there."""
    where = without_password(str(tracker.setup().settings.base_url))
    why, _, _ = str(refused(f"Weights & Biases at {where}", error)).partition(" Consider increasing")
    return ServiceError(
        f"{why.rstrip('.')}; try again later, or set WANDB_MODE=offline, log again, and upload the run with `wandb"
        " sync` when the server can be reached. WANDB_INIT_TIMEOUT is how many seconds it has to answer"
    )
