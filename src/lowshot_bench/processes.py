"""Work in several processes."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.context import BaseContext
from typing import Any, TypeVar

Result = TypeVar("Result")


def in_processes(
    function: Callable[..., Result], arguments: Iterable[tuple[Any, ...]], workers: int
) -> Iterator[Result]:
    """The results of the calls, in the order in which they are finished; with one worker or one call, in this process.

    >>> sorted(in_processes(max, [(3, 4), (1, 2)], workers=1))
    [2, 4]
    """
    calls = list(arguments)
    if workers == 1 or len(calls) < 2:
        yield from (function(*call) for call in calls)
        return
    with ProcessPoolExecutor(workers, mp_context=_context(function.__module__), initializer=_one_thread) as pool:
        yield from (future.result() for future in as_completed([pool.submit(function, *call) for call in calls]))


def _context(module: str) -> BaseContext:
    """Fork from a server process that has imported this module, where the system can; else start new processes."""
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload([module])
    return context


def _one_thread() -> None:
    """One thread per process, because there is one process per core."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
