"""Log an evaluation to a run of MLflow. Extra `[mlflow]`.

    import mlflow, lowshot.integrations.mlflow

    with mlflow.start_run():
        lowshot.integrations.mlflow.log(evaluation)

The run has metrics (`f1`, `f1_low`, `f1_high`, `labels`) whose step is the number of labels, params and tags
(`lowshot.seed`, `lowshot.verdict`, ...), and files in the folder `lowshot` (report.html, estimate.json, tables).
docs/how-to/mlflow.md has examples that run.
"""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lowshot.errors import InputError, LowshotError, MissingExtra, ServiceError, required_by, without_password
from lowshot.evaluation import Evaluation
from lowshot.integrations.logged import Options, Wanted, gathered, identity
from lowshot.integrations.run_record import OWN, Logged, LoggedRun, refused

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run

RunContext = AbstractContextManager[tuple["MlflowClient", str]]
DATABASE = re.compile(r"(?i)(sqlite|postgresql|mysql|mssql)\b")  # tracking addresses that MLflow opens with SQLAlchemy
MADE = {f"{OWN}made_by": "lowshot"}  # the tag of runs that lowshot has made itself, and so may end
MOST = 90  # of a kind in one request: servers take 100 params, 100 tags and 1,000 metrics


def log(
    evaluation: Evaluation,
    *,
    metric: Wanted = None,
    model: str | None = None,
    confidence: float = 0.95,
    margin: float = 0.0,
    report: bool | str | Path = True,
    prefix: str = "",
    run_id: str | None = None,
    client: "MlflowClient | None" = None,
) -> LoggedRun:
    """Log the estimate from the labels so far to the active run of MLflow, or to a new run if none is active.

    metric      one, or a list of them; that of the evaluation if not given
    model       which of several models, with plain names such as "f1"; all of them if not given, as "v1/f1"
    confidence  of the intervals
    margin      a difference between models that does not matter, as for `Evaluation.compare`
    report      whether the HTML report is logged; or the path of one that was written before
    prefix      before every name, such as "val_", for a second evaluation in the same run
    run_id      another run than the active one
    client      a client of MLflow, for another server than that of mlflow.set_tracking_uri(); with run_id

    The step is the number of labels: who logs again after more labels gets a curve, and who logs again without new
    labels changes nothing. A metric that is undefined is left out, and the tag lowshot.reason says why. Params are what
    the evaluation was begun with; a run that has those of another evaluation is refused.
    """
    if client is not None and run_id is None:
        raise InputError("run_id must be given with client: got none; create a run with client.create_run()")
    options = Options(metric, model, confidence, margin, prefix, report)
    return _log(evaluation, options, _run_in_use(evaluation, client, run_id))


def log_to_run(evaluation: Evaluation, options: Options, address: str | None, run_id: str) -> LoggedRun:
    """Log to a run of this server that is named: for programs such as `lowshot log`."""
    return _log(evaluation, options, _run_in_use(evaluation, client_of(address), run_id))


def log_to_own_run(evaluation: Evaluation, options: Options, address: str | None, experiment: str | None) -> LoggedRun:
    """Log to the run of this evaluation, as `run_of` finds or makes it: for programs such as `lowshot log`."""
    return _log(evaluation, options, run_of(evaluation, address, experiment, options.prefix))


def _log(evaluation: Evaluation, options: Options, run: RunContext) -> LoggedRun:
    """No run is made if what is asked for cannot be computed: `run` is entered last."""
    _mlflow()
    with gathered(evaluation, options) as (found, folder), _errors(), run as (client, run_id):
        return _send(client, run_id, found, folder)


@contextmanager
def _run_in_use(
    evaluation: Evaluation, client: "MlflowClient | None", run_id: str | None
) -> Iterator[tuple["MlflowClient", str]]:
    """A client, and the run that is named, or the active one, or a new one."""
    tracking = _mlflow()
    known = client or tracking.MlflowClient()
    if run_id is not None:
        yield known, run_id
    elif (active := tracking.active_run()) is not None:
        yield known, active.info.run_id
    else:
        with tracking.start_run(run_name=evaluation.name) as run:
            yield known, run.info.run_id


def _send(client: "MlflowClient", run_id: str, found: Logged, folder: Path) -> LoggedRun:
    from mlflow.entities import Param, RunTag

    run = client.get_run(run_id)
    there = run.data.params
    found.refuse_another({**run.data.tags, **there}, f"run {run_id}")
    metrics = _new_points(client, run, found)
    params = [Param(name, str(value)) for name, value in found.params.items() if name not in there]
    tags = [RunTag(name, text) for name, text in found.notes.items() if text is not None]
    # First what another evaluation is refused by; synchronous, because errors are lost otherwise where
    # MLFLOW_ENABLE_ASYNC_LOGGING is set.
    client.log_batch(run_id, params=params, tags=tags, synchronous=True)
    for some in _batches(metrics):
        client.log_batch(run_id, metrics=some, synchronous=True)
    for name, text in found.notes.items():
        if text is None and name in run.data.tags:
            client.delete_tag(run_id, name)
    client.log_artifacts(run_id, str(folder), found.folder)
    return LoggedRun(run_id, _where(client, run), found)


def _new_points(client: "MlflowClient", run: "Run", found: Logged) -> list[Any]:
    """The metrics that the run does not have yet with this number of labels and this value."""
    from mlflow.entities import Metric

    now, there = int(1000 * time.time()), run.data.metrics
    labels = f"{found.prefix}labels"
    again = labels in there and _last(client, run, labels, found.labels) is not None
    return [
        Metric(name, value, now, found.labels)
        for name, value in found.metrics.items()
        if not again or there.get(name) != value or _last(client, run, name, found.labels) != value
    ]


def _last(client: "MlflowClient", run: "Run", name: str, step: int) -> float | None:
    """The value that was logged last with this step."""
    history = [one for one in client.get_metric_history(run.info.run_id, name) if one.step == step]
    return max(history, key=lambda one: one.timestamp).value if history else None


def _batches(metrics: Sequence[Any]) -> Iterator[list[Any]]:
    for first in range(0, len(metrics), MOST):
        yield list(metrics[first : first + MOST])


def _where(client: "MlflowClient", run: "Run") -> str:
    """The page of the run on a server; the place of its files elsewhere."""
    address = without_password(str(client.tracking_uri))
    if address.startswith("http"):
        return f"{address.rstrip('/')}/#/experiments/{run.info.experiment_id}/runs/{run.info.run_id}"
    place = str(run.info.artifact_uri)
    return place if place.startswith("file:") else without_password(place)  # in file:///C:/runs, C: is a drive


def client_of(address: str | None) -> "MlflowClient":
    """A client of this server; of that which MLflow itself would use if None."""
    tracking = _mlflow()
    with _errors(address):
        found: MlflowClient = tracking.MlflowClient(tracking_uri=address)
    return found


@contextmanager
def run_of(
    evaluation: Evaluation, address: str | None = None, experiment: str | None = None, prefix: str = ""
) -> Iterator[tuple["MlflowClient", str]]:
    """A client and the run in which this evaluation was logged before, or a new one: for programs without an active
    run, such as `lowshot log`. A new run is finished afterwards, or failed; one that failed or was killed before is
    finished by the first attempt that succeeds.

    address     of the server; as for MLflow itself if None
    experiment  its name; it is created if it does not exist. "Default" if None
    """
    client, notes = client_of(address), identity(evaluation, prefix)
    with _errors():
        name = experiment or "Default"
        known = client.get_experiment_by_name(name)
        number = client.create_experiment(name) if known is None else known.experiment_id
        earlier = [] if known is None else _runs_of(client, number, notes)
        run = earlier[0] if earlier else client.create_run(number, run_name=evaluation.name, tags={**notes, **MADE})
    open_still = not earlier or _left_open(run)
    try:
        yield client, run.info.run_id
    except BaseException:
        if open_still:
            with suppress(ServiceError), _errors():  # a server that is gone is what the first error says
                client.set_terminated(run.info.run_id, "FAILED")
        raise
    if open_still:
        with _errors():
            client.set_terminated(run.info.run_id)


def _left_open(run: "Run") -> bool:
    """Whether an earlier attempt has made this run and not finished it. A run of somebody else is theirs to end, and so
    is one that is active here."""
    active = _mlflow().active_run()
    if active is not None and active.info.run_id == run.info.run_id:
        return False
    return MADE.items() <= run.data.tags.items() and run.info.status in ("FAILED", "RUNNING")


def _runs_of(client: "MlflowClient", experiment: str, notes: Mapping[str, str]) -> list["Run"]:
    """Runs of the same evaluation, the newest first."""
    if not notes:
        return []
    quoted = [f"tags.`{name}` = '{text}'" for name, text in notes.items() if "'" not in text and "`" not in name]
    runs = client.search_runs([experiment], " and ".join(quoted))
    return [run for run in runs if all(run.data.tags.get(name) == text for name, text in notes.items())]


def _mlflow() -> Any:
    with required_by("logging to MLflow", extra="mlflow"):
        import mlflow
    return mlflow


@contextmanager
def _errors(address: str | None = None) -> Iterator[None]:
    """Errors of MLflow as errors of lowshot, on one line.

    address  which is used; that of MLflow itself if None
    """
    from mlflow.exceptions import MlflowException

    try:
        yield
    except LowshotError:  # some of them are OSErrors, too
        raise
    except (MlflowException, OSError) as error:  # OSError: files of a run that cannot be written, or uploaded
        raise refused("MLflow", error) from error
    except ModuleNotFoundError as error:
        raise _too_light(address or _mlflow().get_tracking_uri(), error.name) from None


def _too_light(address: str, package: str | None) -> MissingExtra:
    """What the light client cannot do. Its default is a database, too: MLflow 3 uses sqlite:///mlflow.db."""
    where = without_password(address)
    if DATABASE.match(address) and (package or "").partition(".")[0] in ("alembic", "sqlalchemy"):
        return MissingExtra(
            f"{where} is a database, for which MLflow's light client needs {package}: pip install mlflow; or log to a"
            " server, such as http://127.0.0.1:5000, or to a folder, such as file:runs with"
            " MLFLOW_ALLOW_FILE_STORE=true"
        )
    return MissingExtra(f"MLflow needs {package} to log to {where}: install it; 'mlflow[extras]' brings the usual ones")
