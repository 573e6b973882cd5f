"""`lowshot label`: the labelling page in the browser, or single keys in the terminal."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from lowshot.cli import console
from lowshot.cli.confirmed import MEDIA_ROOT, Place
from lowshot.cli.console import AllowExternal, Margin, Moved, Name, StorePath, Who
from lowshot.cli.opening import Opened, can_be_written, named, open_evaluation
from lowshot.cli.terminal import refuse_no_terminal, session
from lowshot.errors import InputError
from lowshot.labelling.enough import watched
from lowshot.stored import is_new

EXAMPLES = """[bold]Examples[/bold]
  lowshot label birds.db
  lowshot label birds.db --solo --half-width 0.1
  lowshot label birds.db --host 0.0.0.0 --reached-as labels.example.org
  lowshot label birds.db --terminal --count 20
  lowshot label birds.db --media-root pictures
"""
Host = Annotated[str, typer.Option(help="Address to listen on; addresses other than this machine's own need a token.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; 0 for any free port.")]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Print the addresses, and do not open the browser.")]


def label(
    store: StorePath,
    terminal: Annotated[bool, typer.Option("--terminal", help="Label in this terminal with single keys.")] = False,
    count: Annotated[int | None, typer.Option(min=1, help="In the terminal: stop after this many items.")] = None,
    solo: Annotated[
        bool, typer.Option("--solo", help="Show the estimate while labelling; it can influence the answers.")
    ] = False,
    blur: Annotated[bool, typer.Option("--blur", help="Blur items until they are clicked.")] = False,
    half_width: Annotated[
        float | None,
        typer.Option(
            help="Half-width of the interval that you want; you are told when it is reached.", show_default=False
        ),
    ] = None,
    margin: Margin = 0.0,
    host: Host = "127.0.0.1",
    port: Port = 8484,
    reached_as: Annotated[
        list[str] | None, typer.Option(help="Host name under which others open the page; repeatable.")
    ] = None,
    no_browser: NoBrowser = False,
    who: Who = None,
    names: Annotated[int, typer.Option(min=1, help="On the page: maximum number of different names.")] = 50,
    name: Name = None,
    moved: Moved = None,
    allow_external: AllowExternal = False,
    media_root: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder that contains the pictures, if it was moved.")
    ] = None,
) -> None:
    """Label items in the browser, or in this terminal with --terminal. Each answer is stored at once."""
    if terminal:
        refuse_no_terminal()
    read_only = not is_new(store) and not can_be_written(store)
    opened = open_evaluation(store, name, moved, read_only, allow_external)
    if read_only:
        console.note(f"{store} cannot be written: the owner's page works, answers are refused")
    if terminal:
        session(opened, solo, named(who), watched(opened.evaluation, half_width, margin)).run(count)
        return
    opened = with_pictures(opened, media_root)
    from lowshot import web
    from lowshot.cli.showing import shown_of

    app = web.make_app(
        opened.evaluation,
        shown_of(opened),
        wanted=opened.about.annotators_per_item,
        solo=solo,
        blur=blur,
        half_width=half_width,
        margin=margin,
        names=names,
        hosts=reached_as or [],
    )
    web.serve(app, host, port, open_browser=not no_browser)


def with_pictures(opened: Opened, media_root: Path | None) -> Opened:
    """With the folder of the pictures where it is now. A page of pictures needs one that exists, and one that is known
    if the store names it."""
    about = opened.about
    if media_root is not None:
        about = replace(about, media_root=str(media_root.absolute()))
    if about.show == "image" and about.media_root is not None and not Path(about.media_root).is_dir():
        raise InputError(
            f"--media-root must be a folder that exists: {about.media_root} does not; name the folder that the paths of"
            " the pictures are relative to"
        )
    if about.show == "image" and about.media_root is None:
        raise InputError(
            "--media-root must be the folder of the pictures: the evaluation began without one; name the folder that"
            " the paths of the pictures are relative to"
        )
    if media_root is None:
        opened.refuse_unknown_pictures()
    else:
        opened.confirmed.confirm([Place(MEDIA_ROOT, str(about.media_root))])
    return replace(opened, about=about)
