# Two commands: `make demo` shows the main job on real data, `make test` checks everything.
# `make demo-compare` shows the second job, which of two models is better, and `make demo-classes` a model of many classes.
# Each sets up its own environment in .venv; only Python 3.11+ and make are needed.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
PYTHON311 ?= python3.11
BIN := .venv/bin
STUDIO := .venv-label-studio
LOWEST := .venv-lowest
STUDIO_TEST := tests/cli/test_label_studio.py
NEW_USER_TEST := tests/test_new_user.py
# Whole experiments, hundreds of kills, pages in every width: what takes longest and seldom breaks alone.
SLOW_TESTS := tests/bench/test_whole.py tests/bench/test_several_run.py tests/store/test_crash.py tests/report/test_look.py \
	tests/notebook/test_jupyter.py
NEEDS := lowshot needs Python 3.11 or newer: install it, or name it: make PYTHON=/path/to/python

.PHONY: demo demo-compare demo-classes test test-slow test-lowest lint label-studio new-user readme pictures same-as bench-speed \
	bench-against bench-accuracy bench-adversarial bench-page bench-pools bench-commands bench-grouping bench-knowledge \
	bench-classes bench-budgets clean

demo: .venv/demo-installed
	$(BIN)/lowshot demo

demo-compare: .venv/demo-installed
	$(BIN)/lowshot demo --compare

demo-classes: .venv/demo-installed
	$(BIN)/lowshot demo --classes

test: .venv/test-installed lint
	$(BIN)/python -m pytest $(foreach file,$(STUDIO_TEST) $(NEW_USER_TEST) $(SLOW_TESTS),--ignore=$(file))

test-slow: .venv/test-installed
	$(BIN)/python -m pytest $(SLOW_TESTS)

# Without Spark, browsers, schemathesis and what takes longest: kills, statistics, whole experiments.
NOT_LOWEST := bench test_package test_trace test_new_user cli/studio cli/test_label_studio cli/test_large_pools report \
	store/test_crash store/test_class_stores sampler/test_reference sampler/test_statistics web/test_rest_as_described \
	web/test_overview_page web/test_page web/test_models_page web/test_thresholds_page web/test_categories_page \
	web/test_which_page web/test_label_page web/test_owner_page web/test_owner_numbers web/test_class_rest \
	web/test_server_crash pools/test_exact pools/test_failing pools/test_peak_memory pools/test_restart notebook/test_jupyter

# Old versions beside the newest of what they need themselves: their warnings about each other are not ours.
test-lowest: $(LOWEST)/installed
	$(LOWEST)/bin/python -m pytest -W ignore::DeprecationWarning -k "not spark" \
		$(foreach name,$(NOT_LOWEST),--ignore=tests/$(name).py --ignore=tests/$(name)) tests

lint: .venv/test-installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

label-studio: $(STUDIO)/installed .venv/test-installed
	$(BIN)/python -m pytest -n 0 $(STUDIO_TEST)

# The README line by line, from the wheel, in a fresh environment and in Chromium: two minutes, and a package registry.
new-user: .venv/test-installed
	$(BIN)/python -m pytest -n 0 $(NEW_USER_TEST)

# Writes what the commands of README.md print now below each of them.
readme: .venv/test-installed
	$(BIN)/python tools/fill_readme.py README.md

# The pictures of README.md and docs/ that show pages and demos. Needs Debian's chromium; look at them before a commit.
pictures: .venv/test-installed
	$(BIN)/python tools/make_page_pictures.py docs
	$(BIN)/lowshot demo --picture docs/demo.png > /dev/null
	$(BIN)/lowshot demo --compare --picture docs/compare.png > /dev/null

# Compares draws and estimates with another commit's: make same-as COMMIT=8bef2cc [DATA=folder]
same-as: .venv/test-installed
	$(BIN)/python tools/same_as.py $(COMMIT) $(if $(DATA),--data $(DATA))

bench-speed: .venv/test-installed
	$(BIN)/python benchmarks/speed.py

# Compares the speed with another commit's: make bench-against COMMIT=8bef2cc
bench-against: .venv/test-installed
	$(BIN)/python -m benchmarks.against $(COMMIT)

bench-accuracy: .venv/test-installed
	$(BIN)/python benchmarks/accuracy.py

bench-adversarial: .venv/test-installed
	$(BIN)/python benchmarks/adversarial.py

bench-page: .venv/test-installed
	$(BIN)/python benchmarks/page.py

bench-pools: .venv/test-installed
	$(BIN)/python benchmarks/pools.py

bench-commands: .venv/test-installed
	$(BIN)/python benchmarks/commands.py

bench-grouping: .venv/test-installed
	$(BIN)/python benchmarks/grouping.py

bench-budgets: .venv/test-installed
	$(BIN)/python benchmarks/budgets.py

bench-classes: .venv/test-installed
	$(BIN)/python benchmarks/classes.py

# What a prior and known labels are worth on a folder of pools (docs/bench.md): make bench-knowledge DATA=FOLDER
bench-knowledge: .venv/test-installed
	$(BIN)/python benchmarks/knowledge.py $(DATA)

clean:
	rm -rf .venv $(STUDIO) $(LOWEST) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis lowshot-demo.png lowshot-compare.png

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "$(NEEDS)"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/demo-installed: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[plots]'
	@touch $@

.venv/test-installed: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@

# The oldest versions that pyproject.toml allows, of what lowshot names itself; pip cannot choose them, uv can. Without
# Spark, whose package is 450 MB. The tools of the tests are the newest; Starlette 1.0 needs httpx and not httpx2.
$(LOWEST)/installed: Makefile pyproject.toml
	$(PYTHON311) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet uv
	$(LOWEST)/bin/python -m uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct \
		--editable '.[all,postgres]'
	$(LOWEST)/bin/python -m uv pip install --quiet --python $(LOWEST)/bin/python \
		pytest pytest-xdist hypothesis httpx polars
	@touch $@

# A gigabyte, of which little is ever imported: it is compiled when it is.
$(STUDIO)/installed: Makefile
	@test -n "$(PYTHON)" || { echo "$(NEEDS)"; exit 1; }
	$(PYTHON) -m venv --clear $(STUDIO)
	$(STUDIO)/bin/python -m pip install --quiet --no-compile label-studio==1.23.2
	@touch $@
