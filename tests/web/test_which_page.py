"""The page that asks "which one?" in a real browser: number keys, the search, sets, small screens."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lowshot

from ..browsers import expect
from .classes import WORDS, any_number, birds
from .desktop import Desktop, Open, entered, settled

if TYPE_CHECKING:
    from playwright.sync_api import Page


def buttons(page: "Page") -> list[str]:
    found: list[str] = page.locator("#candidates button span").all_inner_texts()
    return found


def next_item(page: "Page", before: str) -> None:
    """Until another item is shown, and what was answered is in the store."""
    page.wait_for_function("before => document.getElementById('item').dataset.item !== before", arg=before)
    settled(page)


def shown(page: "Page") -> str:
    return str(page.locator("#item").get_attribute("data-item"))


def searched(page: "Page") -> "Page":
    """When the page has the names of all classes, which come beside the first item."""
    page.wait_for_function("() => classes.length > 0")
    return page


def labels(at: Desktop) -> dict[Any, Any]:
    found: dict[Any, Any] = at.app.state.site.evaluation.history["labels"]
    return found


@pytest.mark.journey
def test_number_keys_and_a_reload(desktop: Open, tmp_path: Path) -> None:
    evaluation, truth = birds(tmp_path, classes=40)
    at = desktop(evaluation, WORDS)
    page = at.person("Ann")
    expected = {}
    for number in range(12):
        item, name, there = at.item(page), shown(page), buttons(page)
        assert len(there) == 6
        if number % 4 == 3:
            page.reload()
            page.wait_for_selector("#item article")
            assert (at.item(page), buttons(page)) == (item, there), "the same order after a reload"
        right = evaluation.pool.categories[truth[evaluation.pool.position(item)]]
        expected[item] = right if right in there else lowshot.OTHER
        page.keyboard.press(str(there.index(right) + 1) if right in there else "0")
        next_item(page, name)
    assert labels(at) == expected
    assert sum(label is not lowshot.OTHER for label in expected.values()) > 6
    expect(page.locator("#progress")).to_contain_text("12 answered by you")


def test_keys_that_are_letters(desktop: Open, tmp_path: Path) -> None:
    """S and U are keys of their own; typed quickly, they begin a name. How quickly is up to the clock of the page, and
    the test moves it: keys may take long to arrive."""
    at = desktop(birds(tmp_path, classes=40)[0], WORDS)
    page = at.person()
    page.clock.install(time=0)
    searched(entered(page, "Ann"))
    page.clock.pause_at(10**9)
    first, name = at.item(page), shown(page)
    page.keyboard.press("s")
    page.clock.run_for(300)
    assert shown(page) == name, "another letter may follow"
    page.clock.run_for(100)
    next_item(page, name)
    assert labels(at) == {first: None}
    second, name = at.item(page), shown(page)
    page.keyboard.press("s")
    page.clock.run_for(300)
    page.keyboard.type("wan")
    expect(page.locator("#search")).to_have_value("swan")
    page.clock.run_for(1000)
    assert shown(page) == name, "nothing is answered by typing"
    page.keyboard.press("Enter")
    next_item(page, name)
    assert labels(at) == {first: None, second: "swan"}
    third = shown(page)
    page.keyboard.press("u")
    page.clock.run_for(400)
    next_item(page, third)
    expect(page.locator("#item")).to_contain_text("You said: swan")
    assert at.item(page) == second
    page.keyboard.press("u")
    page.clock.run_for(400)
    next_item(page, name)
    assert at.item(page) == first
    name = shown(page)
    page.keyboard.press("1")
    next_item(page, name)
    assert labels(at)[first] in evaluation_names(at)


def evaluation_names(at: Desktop) -> tuple[Any, ...]:
    names: tuple[Any, ...] = at.app.state.site.evaluation.pool.categories
    return names


def test_search_in_a_thousand_classes(desktop: Open, tmp_path: Path) -> None:
    evaluation, _ = birds(tmp_path, classes=1000, items=2000)
    at = desktop(evaluation, WORDS)
    page = searched(at.person("Ann"))
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    item, name = at.item(page), shown(page)
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.type("eider")
    options = page.get_by_role("option")
    expect(options.first).to_have_text("Éider")
    page.keyboard.press("Escape")
    expect(page.locator("#found")).to_be_hidden()
    expect(page.locator("#search")).not_to_be_focused()
    page.keyboard.type("mar")
    expect(options).to_have_count(8)
    wanted = options.nth(2).inner_text()
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "ArrowDown"):
        page.keyboard.press(key)
    expect(options.nth(2)).to_have_attribute("aria-selected", "true")
    expect(page.locator("#search")).to_have_attribute("aria-activedescendant", "found-2")
    assert not requests, "a search asks nobody"
    page.keyboard.press("Enter")
    next_item(page, name)
    assert labels(at) == {item: wanted}
    expect(page.locator("#search")).to_have_value("")
    item, name = at.item(page), shown(page)
    page.locator("#search").fill("nothing like it")
    expect(page.locator("#found")).to_contain_text("No class has this name")
    page.keyboard.press("Enter")
    assert shown(page) == name
    page.locator("#search").fill("ba marba")
    options.first.click()
    next_item(page, name)
    assert labels(at)[item] == "marba ba", "words in any order"


def test_few_classes_need_no_search(desktop: Open, tmp_path: Path) -> None:
    evaluation, _ = birds(tmp_path, classes=4)
    at = desktop(evaluation, WORDS)
    page = at.person("Ann")
    item, name = at.item(page), shown(page)
    assert len(buttons(page)) == 4
    expect(page.locator("#search")).to_have_count(0)
    page.keyboard.press("x")
    page.keyboard.press("9")
    page.get_by_role("button", name="Cannot tell").click()
    next_item(page, name)
    assert labels(at) == {item: None}
    last, name = at.item(page), shown(page)
    page.get_by_role("button", name="None of these").click()
    next_item(page, name)
    assert labels(at)[last] is lowshot.OTHER


def test_sets_of_classes(desktop: Open, tmp_path: Path) -> None:
    sets = desktop(any_number(tmp_path, classes=40)[0], WORDS)
    page = searched(sets.person("Ann"))
    first, name, there = sets.item(page), shown(page), buttons(page)
    page.keyboard.press("Enter")
    expect(page.locator("#message")).to_contain_text("press 0 for none of these")
    for key in ("1", "3", "2", "3"):
        page.keyboard.press(key)
    expect(page.locator("#candidates [aria-pressed=true]")).to_have_count(2)
    rare = next(one for one in evaluation_names(sets) if one not in there)
    page.keyboard.press("/")
    page.keyboard.type(rare)
    page.keyboard.press("Enter")
    expect(page.locator("#candidates [aria-pressed=true]").last).to_contain_text(rare)
    assert shown(page) == name
    page.keyboard.press("Enter")
    next_item(page, name)
    assert set(labels(sets)[first]) == {there[0], there[1], rare}
    second, name = sets.item(page), shown(page)
    page.keyboard.press("0")
    next_item(page, name)
    assert labels(sets)[second] == []
    third = shown(page)
    for _ in range(2):
        page.keyboard.press("u")
        next_item(page, third)
        third = shown(page)
    assert sets.item(page) == first
    expect(page.locator("#candidates [aria-pressed=true]")).to_have_count(3)
    page.locator("#candidates [aria-pressed=true]").first.click()
    page.get_by_role("button", name="Save").click()
    next_item(page, third)
    assert set(labels(sets)[first]) == {there[1], rare}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_small_screens(desktop: Open, tmp_path: Path, scheme: str) -> None:
    at = desktop(birds(tmp_path, classes=200)[0], WORDS)
    page = at.person("Ann", viewport={"width": 375, "height": 667}, color_scheme=scheme)
    page.locator("#search").fill("ba")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    page.keyboard.press("Escape")
    boxes = [one.bounding_box() for one in page.get_by_role("button").all() if one.is_visible()]
    assert all(box is not None and box["height"] >= 44 for box in boxes)
    name = shown(page)
    page.locator("#candidates button").nth(1).click()
    next_item(page, name)
    assert len(labels(at)) == 1
