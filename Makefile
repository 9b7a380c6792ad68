# Bare `make` prints the targets. Each one does its own set-up. Nothing is made outside of .venv, .tools, build and dist, but
# for caches of pip and Go, and images in a Docker engine that runs. e2e-tools alone changes the machine.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help

# `make release VERSION=0.1.0rc1` takes another version than the one that the project says, and lets it say that.
STATED := $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
VERSION := $(STATED)
NAME := ghcr.io/expand-vars/expand-vars
PYTHON := .venv/bin/python
PYTEST := $(PYTHON) -m pytest
export PATH := $(CURDIR)/.venv/bin:$(CURDIR)/.tools/bin:$(PATH)

# The base of the image. `make image BASE=...` takes any image with a python3 of 3.11 or later, pip or not.
BASE ?= python:3.13-slim
comma := ,

# The commit's time makes the same bytes again: of a release for whoever checks it, of a wheel for Docker's cache.
dated := SOURCE_DATE_EPOCH=$(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null || echo 315532800))

# No recipe calls make: `make -n` would run it. What a target needs is a prerequisite, in this order.
.NOTPARALLEL:
.PHONY: help venv lock test test-fast test-e2e lint coverage bench bench-check bench-peers wheels test-compiled demo terminal site image sbom \
  image-multiarch dist version release tools e2e-tools kubelet-oracle nightly laws random-edits fuzz \
  container-start fleet yaml-test-suite catalog kyaml histories weights references kinds clean build/wheels

help:
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: .venv/made  ## the Python environment of all the other targets

.venv/made: pyproject.toml requirements.txt
	$${BASE_PYTHON:-python3} -m venv .venv
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.txt
	$(PYTHON) -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# What is installed here, in CI and for a release, by version and hash; a bot renews it. Two of the image's packages make it
# and do not stay in it: pip and setuptools.
LOCK := pipx run uv pip compile --quiet --generate-hashes --no-header --no-annotate --python-version 3.11
lock: venv  ## the versions and hashes of all that is installed, anew: requirements.txt, image-requirements.txt
	$(LOCK) --upgrade --universal --extra test --extra dev --output-file requirements.txt pyproject.toml
	printf '%s\n' pip setuptools | \
	  $(LOCK) --upgrade --python-platform linux --extra patterns --output-file image-requirements.txt pyproject.toml -

# Where there is no Docker engine the rest is tested all the same; pytest then says what it left out. CI must not.
# Coverage is that of the fast tests: the others run images and wheels, which nothing measures, and would be slower.
test: venv tools $(if $(COVERAGE),coverage)  ## every test, real orchestrators included (COVERAGE=1: and coverage)
	$(PYTEST) -n auto $(if $(COVERAGE),-m e2e)

test-fast: venv  ## the tests that need neither Docker nor an orchestrator
	$(PYTEST) -n auto -m 'not e2e'

test-e2e: venv tools  ## the other tests: orchestrators, the image, the distribution
	$(PYTEST) -n auto -m e2e

lint: venv  ## ruff, mypy, import-linter, and how large the source is
	ruff check .
	ruff format --check .
	mypy
	lint-imports --no-logo
	@$(PYTHON) -m scripts.size

coverage: venv  ## the fast tests, with the lines and branches that none of them takes
	coverage erase
	coverage run -m pytest -n auto -m 'not e2e'
	coverage combine --quiet
	coverage report

bench: venv  ## time and memory, as ratios
	$(PYTHON) -m tests.bench

# Functions of kpt's catalog are measured where they lie in .tools/peers: nothing here builds them.
bench-peers: wheels build/wheels  ## time and memory beside other programs, into docs/reference/performance.md (needs Go, takes long)
	tests/tools/bench-peers
	$(PYTHON) -m tests.bench.peers

bench-check: venv  ## counts of calls, parses and characters beside a budget (UPDATE=1 writes it)
	PYTHONHASHSEED=0 $(PYTHON) -m tests.bench.counts

# What setuptools finds there of an earlier build, it puts into the wheel: modules that are gone, other flags of C.
LEFT_BEHIND := build/lib* build/temp*

# Without build isolation: mypyc is in .venv. The environment that the tests run in has the wheel in front of .venv's
# packages, among which is the link to fn.
COMPILED := build/compiled
# An image stays small: no symbols, no tables for unwinding C, and none of the 60 small modules padded to whole pages.
SMALL := CFLAGS='-fvisibility=hidden -fno-asynchronous-unwind-tables' LDFLAGS='-s -Wl,-z,noseparate-code'
SOURCES := $(shell find fn -name '*.py') setup.py pyproject.toml

wheels: $(COMPILED)/made  ## a wheel that is compiled for the Python at hand (needs a C compiler): build/compiled/*.whl

$(COMPILED)/made: $(SOURCES) .venv/made
	rm -rf $(COMPILED) $(LEFT_BEHIND)
	COMPILED=1 $(dated) $(SMALL) $(PYTHON) -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir $(COMPILED) .
	$(PYTHON) -m venv --without-pip $(COMPILED)/venv
	$(PYTHON) -m pip --python $(COMPILED)/venv/bin/python install --quiet --no-deps $(COMPILED)/*.whl
	$(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("purelib"))' > $$(echo $(COMPILED)/venv/lib/python*/site-packages)/tools.pth
	@touch $@

# All that runs compiled code in its own process. The nightly runs every fast test.
COMPILED_TESTS ?= tests/krm/yamltree tests/krm/test_*.py tests/krm/generation tests/expand_vars/expansion \
  tests/krm/template_comments tests/expand_vars/test_pipeline.py tests/expand_vars/test_templates.py

test-compiled: wheels  ## the tests of what is compiled, on the compiled wheel in an environment of its own
	$(COMPILED)/venv/bin/python -c 'from krm.yamltree import parser; assert parser.__file__.endswith(".so"), parser.__file__'
	$(COMPILED)/venv/bin/python -m pytest -o pythonpath=. -n auto -m 'not e2e and not pure' $(COMPILED_TESTS)

# The program alone, without what its tests need, in an environment of its own.
DEMO ?= build/demo

demo: $(DEMO)/made  ## the main job on an example
	$(DEMO)/bin/expand-vars REGION=eu-west-1 TAG=1.4.2 < examples/pipe/deploy.yaml

terminal: venv  ## the picture of a terminal in the README, of a real run: docs/terminal.svg
	$(PYTHON) -m scripts.terminal > docs/terminal.svg

site: venv  ## all pages as a site, with search, which needs no network: build/site
	$(PYTHON) -m scripts.website build/site

$(DEMO)/made: pyproject.toml
	$${BASE_PYTHON:-python3} -m venv $(DEMO)
	$(DEMO)/bin/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

# The wheels are fetched here and not in the image's build, which may have no network or not know this machine's
# certificates; pip's own is among them, for a base without pip. $(1) is Python's version in the base, $(2) the
# architecture.
define wheels
	$(PYTHON) -m pip download --quiet --dest build/wheels --only-binary :all: --python-version $(1) --no-deps \
	  --platform manylinux2014_$(2) --platform manylinux_2_17_$(2) --platform manylinux_2_28_$(2) \
	  --require-hashes --requirement image-requirements.txt
endef

# What `base` found: the base by its digest, where a registry gave it.
base = $$(cat build/base)
base_python = docker run --rm --network none --entrypoint python3 $(base) \
  -c 'import sys; print("%d.%d" % sys.version_info[:2])'
build_args = --build-arg BASE=$(base) --build-arg VERSION=$(VERSION)
# The two images, the small one last: $(1) is the command that builds, $(2) its options behind the tags.
define build
	for target in -shell ''; do
	  $(1) $(build_args) $${target:+--target $${target#-}} \
	    --tag $(NAME):v$(VERSION)$$target --tag $(NAME):v$(basename $(VERSION))$$target $(2)
	done
endef

# Asked for first: without it all that is compiled would be for nothing. A tag may be another image a minute later: all
# that is built below takes the one that is found here.
FITS := import os, sys; sys.exit(sys.version_info < (3, 11) or "CS_GNU_LIBC_VERSION" not in os.confstr_names)
.PHONY: base
base:
	@docker version >/dev/null 2>&1 || { echo 'no Docker engine answers: start one, or run make e2e-tools' >&2; exit 1; }
	docker image inspect $(BASE) >/dev/null 2>&1 || docker pull --quiet $(BASE) >/dev/null 2>&1 || {
	  echo "the base $(BASE) is not here, and no registry gives it: name one that is here, make image BASE=IMAGE" >&2
	  exit 1
	}
	docker run --rm --network none --entrypoint python3 $(BASE) -c '$(FITS)' >/dev/null 2>&1 || {
	  echo "the base $(BASE) does not fit: it needs a python3 of 3.11 or later that runs here, on the C library of GNU" >&2
	  exit 1
	}
	mkdir -p build
	docker image inspect --format '{{if .RepoDigests}}{{index .RepoDigests 0}}{{else}}$(BASE){{end}}' $(BASE) > build/base

build/wheels: venv
	rm -rf $@ $(LEFT_BEHIND)
	$(dated) $(PYTHON) -m pip wheel --quiet --no-deps --build-constraint image-requirements.txt --wheel-dir $@ .

# pip takes the compiled wheel, if it fits the Python and the architecture of the base. WHEEL=pure spares its compilation;
# WHEEL=given takes the wheels that lie in build/compiled, as a release does, which compiles on several machines.
WHEEL ?= $(if $(shell command -v cc),compiled,pure)
COMPILED_TOO = $(if $(filter compiled,$(WHEEL)),wheels)
take_compiled = $(if $(filter-out pure,$(WHEEL)),cp $(COMPILED)/*.whl build/wheels)
image: base build/wheels $(COMPILED_TOO)  ## the two container images, made from BASE; the last line tells which wheel
	arch=$$(docker version --format '{{.Server.Arch}}' | sed 's/amd64/x86_64/; s/arm64/aarch64/')
	python=$$($(base_python))
	$(call wheels,$$python,$$arch)
	$(take_compiled)
	$(call build,docker build --quiet,.)
	docker run --rm --network none $(NAME):v$(VERSION) --version

# The script runs where dpkg's lists are, on the names of the files of the other image.
sbom: image  ## a software bill of materials of the image, in CycloneDX: build/sbom.json
	container=$$(docker create $(NAME):v$(VERSION))
	trap 'docker rm $$container >/dev/null' EXIT
	docker export $$container | tar --list |
	  docker run --rm --interactive --network none --user 0:0 --entrypoint python3 $(NAME):v$(VERSION)-shell \
	    -IS -c "$$(cat scripts/sbom.py)" > build/sbom.json

# Archives, which another job of a release pushes as they are: what builds has no right to publish.
image-multiarch: base build/wheels $(COMPILED_TOO)  ## the images for amd64 and arm64, where buildx can: build/image*.tar
	@if docker buildx ls 2>/dev/null | grep -q linux/arm64; then
	  python=$$($(base_python))
	  $(call wheels,$$python,x86_64)
	  $(call wheels,$$python,aarch64)
	  $(take_compiled)
	  $(call build,docker buildx build --platform linux/amd64$(comma)linux/arm64 --build-arg WHEEL=$(if $(filter given,$(WHEEL)),compiled,any),--output type=oci$(comma)dest=build/image$$target.tar .)
	else
	  echo 'buildx lists no arm64 here: checking only that arm64 has a wheel of every dependency'
	  $(call wheels,3.13,aarch64)
	fi

# The wheel is made of the source distribution, whose files have one time and the modes of no machine.
dist: venv  ## the wheels and the source distributions of krm-expand-vars, and of krm, which requires it
	rm -rf dist $(LEFT_BEHIND)
	umask 022
	export $(dated)
	for project in . packaging/krm; do
	  $(PYTHON) -m build --no-isolation --sdist --outdir dist $$project
	done
	$(PYTHON) scripts/same_bytes.py dist/*.tar.gz
	$(PYTHON) -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist dist/*.tar.gz

# All files that say it. In the changes a candidate has no section of its own.
VERSIONED := pyproject.toml packaging/krm/pyproject.toml packaging/helm/plugin.yaml fn/krm/process.py
version:  ## let the project say VERSION=..., in the place of its version
	@if [ '$(VERSION)' != '$(STATED)' ]; then
	  sed -E -i.stated 's/([" =])$(subst .,\.,$(STATED))("|$$)/\1$(VERSION)\2/' $(VERSIONED)
	  rm $(VERSIONED:=.stated)
	fi

# A candidate moves no tag that people follow.
FOLLOWED := $(if $(findstring rc,$(VERSION)),,v$(basename $(VERSION)))
TAGS := $(foreach tag,v$(VERSION) $(FOLLOWED),$(tag) $(tag)-shell)
release: version dist sbom site  ## all that a tag publishes, in dist: distributions, tags of the images, SBOM, site, checksums
	docker run --rm --network none $(NAME):v$(VERSION) --version | grep --quiet '(compiled)' || {
	  echo 'the image has the pure wheel: a release takes one that is compiled for the Python of its base' >&2
	  exit 1
	}
	$(if $(filter given,$(WHEEL)),cp $(COMPILED)/*.whl dist)
	cp build/sbom.json dist
	tar --create --gzip --file dist/site.tar.gz --directory build/site .
	docker images --no-trunc $(foreach tag,$(TAGS),--filter reference=$(NAME):$(tag)) \
	  --format '{{.Repository}}:{{.Tag}} {{.ID}} {{.Size}}' | sort > dist/images.txt
	$(PYTHON) -m twine check --strict dist/*.whl dist/krm*.tar.gz
	(cd dist && sha256sum -- *) > build/SHA256SUMS
	mv build/SHA256SUMS dist

e2e-tools: tools  ## a Docker engine and a base image as well: this may install packages of Debian
	@for tool in docker-engine base-image envsubst shells; do
	  tests/tools/$$tool
	done

# Without Go its tests are left out by name, as those of any tool that is missing. CI leaves nothing out.
tools: kubelet-oracle  ## the programs that tests run, below .tools (needs Go)
	@for tool in kustomize kpt kubectl helm flux-envsubst manifest-oracle setters-oracle validation-oracle actionlint; do
	  tests/tools/$$tool || [ -z "$${CI:-}" ]
	done

kubelet-oracle:  ## the kubelet's own environment code as a program that tests ask (needs Go)
	@tests/tools/kubelet-oracle || [ -z "$${CI:-}" ]

nightly: COMPILED_TESTS := tests
nightly: laws test-compiled random-edits fuzz fleet yaml-test-suite  ## what takes hours: all tests, with many more examples

laws: venv kubelet-oracle  ## the property tests, with many more examples, kills and races
	HYPOTHESIS_PROFILE=nightly $(PYTEST) -n auto -m 'not e2e'
	HYPOTHESIS_PROFILE=nightly $(PYTEST) tests/krm/merge/test_kubectl.py tests/expand_vars/expansion/test_real_kubelet.py

random-edits: venv  ## random edits of real documents, beside ruamel.yaml
	$(PYTHON) -m tests.random_edits --count 100000 testdata examples

FUZZ ?= 1200
fuzz: venv  ## random texts for the parser, the editor, the cut, the merges, explain and the filter: FUZZ=SECONDS
	nice -n 19 $(PYTHON) -m tests.fuzz --seconds $(FUZZ)

yaml-test-suite: venv  ## the public YAML test suite, from a clone: YAML_TEST_SUITE=CLONE
	@if [ -z "$(YAML_TEST_SUITE)" ]; then
	  echo 'left out: the YAML test suite, of which YAML_TEST_SUITE names no clone'
	else
	  $(PYTHON) -m tests.yaml_test_suite "$(YAML_TEST_SUITE)"
	fi

catalog: venv  ## the examples of kpt's catalog with the functions of examples/sdk, under kpt, from a clone: CATALOG=CLONE
	$(PYTHON) -m scripts.catalog $(CATALOG)

kyaml: venv  ## the cases of kyaml's own merge, merged by ours, from a clone of kustomize: KYAML=CLONE
	$(PYTHON) -m scripts.kyaml $(KYAML)

histories: venv  ## the merge driver and git, judged on the histories of clones: REPOS="CLONE..."
	$(PYTHON) -m scripts.histories $(REPOS)

PACKAGES ?= 10000
fleet: venv  ## a fleet in 8 shards, one of them killed in the middle and tried again: PACKAGES=NUMBER
	$(PYTHON) -m scripts.fleet $(PACKAGES) 8

container-start: venv  ## how long `docker run` takes, beside the first of IMAGES="IMAGE..."
	$(PYTHON) -m scripts.container_start $(IMAGES)

weights: venv  ## what generated resources remember, weighed on real manifests: MANIFESTS="DIRECTORY..."
	$(PYTHON) -m scripts.weights $(MANIFESTS)

references: venv  ## what runs in place change in MANIFESTS="DIRECTORY...", byte for byte
	$(PYTHON) scripts/references.py $(or $(MANIFESTS),testdata examples)

# The kinds of fn/krm/workloads.py: the modules with their CRDs, or with the Go types of those that have none.
KIND_MODULES := k8s.io/client-go github.com/openshift/client-go github.com/argoproj/argo-rollouts knative.dev/serving \
  sigs.k8s.io/jobset sigs.k8s.io/lws github.com/ray-project/kuberay/ray-operator github.com/kubeflow/training-operator \
  github.com/kubeflow/trainer/v2 github.com/kubeflow/mpi-operator volcano.sh/volcano github.com/openkruise/kruise \
  github.com/kedacore/keda/v2 github.com/kubeflow/spark-operator/v2 github.com/kserve/kserve github.com/llm-d/llm-d-model-service \
  github.com/elastic/cloud-on-k8s/v3 github.com/actions/actions-runner-controller
KIND_CLONES ?=
fields: venv  ## what the fields of Kubernetes' own kinds may hold, by its schema and its validation (needs Go)
	tests/tools/validation-oracle
	module=$$(cd tests/validation_oracle && go mod download -json k8s.io/kubernetes | $(CURDIR)/$(PYTHON) -c 'import json, sys; print(json.load(sys.stdin)["Dir"])')
	$(PYTHON) -m scripts.fields "$$module" .tools/bin/validation-oracle > fn/krm/fieldtypes.py
	.venv/bin/ruff format --quiet fn/krm/fieldtypes.py

kinds: venv  ## where the kinds with Pods have their pod specs, by their own CRDs and types (needs Go; KIND_CLONES="MODULE=DIRECTORY...")
	found=()
	for module in $(KIND_MODULES); do
	  case " $(KIND_CLONES)" in *" $$module@"*) continue;; esac
	  found+=("$$(go mod download -json $$module@latest | $(PYTHON) -c 'import json, sys; one = json.load(sys.stdin); print(one["Path"] + "@" + one["Version"] + "=" + one["Dir"])')")
	done
	$(PYTHON) -m scripts.kinds "$${found[@]}" $(KIND_CLONES) > tests/krm/kinds.json

clean:  ## remove everything that was made here
	rm -rf .venv .tools build dist .coverage* .hypothesis .*_cache *.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +
