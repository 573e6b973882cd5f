"""The owner's page of many categories, without and with a browser."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lowshot
from lowshot.class_evaluation import ClassEvaluation
from lowshot.web import make_app

from ..browsers import expect
from .classes import WORDS, birds
from .desktop import Open, settled
from .people import OWNER, browser, more, say
from .test_which_page import buttons, next_item

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_what_the_owner_gets(tmp_path: Path) -> None:
    evaluation, truth = birds(tmp_path, classes=40, labels=60)
    assert isinstance(evaluation, ClassEvaluation)
    app = make_app(evaluation, WORDS, solo=True, half_width=0.1)
    eve = browser(app, "eve")
    page = eve.get("/owner").text
    assert "Macro F1 of 40 categories" in page
    assert "F1 of each category" in page
    state = eve.get("/api/owner/state").json()
    assert state["estimate"]["text"] == str(evaluation.estimate())
    assert state["estimate"]["stop"] == evaluation.stop_when(0.1)
    found = eve.get("/api/owner/categories").json()
    assert found["version"] == state["version"]
    assert sorted(re.findall(r'data-name="([^"]*)"', found["chart"])) == sorted(map(str, evaluation.pool.categories))
    assert "style=" not in found["chart"], "the page allows no inline style"
    pool = evaluation.pool
    wrong = {pool.names([item])[0] for item in range(len(pool)) if pool.table.predicted[item] != truth[item]}
    shown = {one["id"] for pair in found["confusions"] for one in pair["examples"]}
    assert shown
    assert shown <= wrong
    item = more(eve)[0]
    say(eve, item, "owl")
    assert eve.get("/api/owner/categories").json()["version"] != found["version"]


def test_the_path_comes_in_parts(tmp_path: Path) -> None:
    """Every point costs an estimate of all categories: a request computes some of them, and says that more come."""
    evaluation, _ = birds(tmp_path, labels=60)
    eve = browser(make_app(evaluation, WORDS, solo=True))
    reply: dict[str, Any] = {"more": True}
    counts: list[int] = []
    while reply["more"]:
        reply = eve.get("/api/owner/history").json()
        counts.append(len(reply["points"]))
    assert counts == sorted(counts)
    assert 2 < len(counts) < 20
    assert reply["points"][-1]["labels"] == 60
    assert reply["points"][-1]["value"] == pytest.approx(evaluation.estimate().value)


@pytest.mark.parametrize(("goal", "words"), [("each", "each class"), (["heron", "crow"], "heron, crow")])
def test_goals_about_categories(tmp_path: Path, goal: Any, words: str) -> None:
    evaluation, _ = birds(tmp_path, labels=40, goal=goal)
    eve = browser(make_app(evaluation, WORDS, solo=True, half_width=0.3))
    assert f"Labels are spent on {words}." in eve.get("/owner").text
    assert eve.get("/api/owner/state").json()["estimate"]["stop"] == evaluation.stop_when(0.3)


def test_a_yes_no_question_has_no_categories(tmp_path: Path) -> None:
    evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.2], threshold=0.5), store=tmp_path / "one.db")
    eve = browser(make_app(evaluation, WORDS, solo=True))
    assert eve.get("/api/owner/categories").status_code == 422
    assert eve.get("/api/classes").json() == {"classes": []}


def asked_twice(page: "Page") -> None:
    """Until the page has asked for news, got it, and asked again."""
    for _ in range(2):
        with page.expect_response("**/api/owner/state*"):
            pass


def test_the_owner_decides_in_a_browser(desktop: Open, tmp_path: Path) -> None:
    evaluation, _ = birds(tmp_path, classes=40)
    at = desktop(evaluation, WORDS, wanted=2)
    ann, bob, owner = at.person("Ann"), at.person("Bob"), at.person()
    item = at.item(ann)
    assert at.item(bob) == item
    assert buttons(ann) == buttons(bob), "both have the same buttons in the same order"
    first, second = buttons(ann)[:2]
    for person, key in ((ann, "1"), (bob, "2")):
        name = str(person.locator("#item").get_attribute("data-item"))
        person.keyboard.press(key)
        next_item(person, name)
        settled(person)
    owner.goto(f"/owner?token={OWNER}")
    expect(owner.locator("#disputed-count")).to_have_text("1")
    dispute = owner.locator(".dispute")
    assert dispute.locator(".decide button").all_inner_texts() == [first, second, "cannot tell", "Decide"]
    expect(dispute.locator(".peek")).to_contain_text("sound ")
    expect(owner.locator("#class-names option")).to_have_count(41)  # of which the page finds the one that is meant
    field = dispute.get_by_role("combobox")
    field.fill("kites")
    field.press("Enter")
    expect(owner.locator("#message")).to_contain_text("the nearest is 'kite'")
    at.complaints.clear()  # the browser notes the refusal
    asked_twice(owner)
    expect(field).to_have_value("kites")  # the page has asked for news, and what is typed stays
    field.fill("Kite")  # as in a search, capitals do not matter
    field.press("Enter")
    expect(owner.locator("#disputed")).to_contain_text("None")
    assert evaluation.history["labels"] == {item: "kite"}
    row = owner.locator("#answers tr").first
    expect(row.locator("td").nth(1)).to_have_text("kite")
    row.get_by_role("button", name=second, exact=True).click()
    expect(row.locator("td").nth(1)).to_have_text(second)
    expect(owner.locator("#categories tbody tr")).to_have_count(40)


@pytest.mark.parametrize("width", [360, 1280])
def test_two_hundred_categories(desktop: Open, tmp_path: Path, width: int) -> None:
    evaluation, _ = birds(tmp_path, classes=200, items=2000, labels=60)
    at = desktop(evaluation, WORDS, solo=True)
    page = at.person("Ann", viewport={"width": width, "height": 700})
    page.goto("/owner")
    rows = page.locator("#categories tbody tr")
    expect(rows).to_have_count(200)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    scroll = page.locator(".dots-scroll")
    assert scroll.evaluate("one => one.scrollHeight > one.clientHeight")
    title = rows.first.locator("svg title").text_content() or ""
    assert title.startswith("F1 of ")
    page.get_by_label("Find a category").fill("éid")
    expect(page.locator("#categories tbody tr:visible")).to_have_count(1)
    with page.expect_response("**/api/owner/categories"):
        with at.lock:
            evaluation.tell(evaluation.ask(1), ["owl"])
        expect(page.locator("#counts")).to_contain_text("1 waits for 3 earlier items")
    asked_twice(page)
    expect(page.locator("#categories tbody tr:visible")).to_have_count(1)  # what was typed stays
