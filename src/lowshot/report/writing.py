"""An evaluation into a report that can be sent to somebody."""

from pathlib import Path

from lowshot import checks
from lowshot.errors import InputError, MissingExtra
from lowshot.evaluation import Evaluation
from lowshot.report.facts import Advance, gather


def write(
    evaluation: Evaluation,
    path: str | Path,
    *,
    pictures: bool = False,
    confidence: float = 0.95,
    advance: Advance = lambda done, steps: None,
) -> list[Path]:
    """One HTML file, and what else was written.

    evaluation  with labels; it stays as it is
    path        of the file: report.html. One that is there is replaced
    pictures    also report-estimate.png, report-calibration.png and report-draws.png next to it
    confidence  of the intervals
    advance     called with (steps done, steps in all), for a progress bar
    """
    if not isinstance(evaluation, Evaluation):
        raise InputError(f"evaluation must be a lowshot.Evaluation: got {type(evaluation).__name__}; make one first")
    if not isinstance(path, (str, Path)):
        raise InputError(f"path must be a text or a Path: got {path!r}; write 'report.html'")
    target = checks.new_file("path", Path(path), (".html", ".htm"))
    checks.flag("pictures", pictures)
    try:
        from lowshot.report.page import page

        if pictures:
            from lowshot.report.pictures import save
    except ModuleNotFoundError as error:
        raise MissingExtra(f"a report needs {error.name}: pip install 'lowshot[report]'") from None
    facts = gather(evaluation, confidence=confidence, advance=advance)
    try:
        # An id may hold half a character, which no file can: it is shown as a question mark.
        target.write_text(page(facts), encoding="utf-8", errors="replace")
        return [target, *(save(facts, target) if pictures else [])]
    except OSError as error:
        raise InputError(f"path must be a file that can be written: got {str(path)!r} ({error.strerror})") from None
