SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build
.DELETE_ON_ERROR:

FUZZTIME ?= 10s
TORTURE ?= 10m
SOAK ?= 20m

go_tool = go tool -modfile=release/tools/go.mod
with_postgres = go run ./db/dbtest/withpostgres
# Where real data lies beside the repository, the tests that look at it do not skip themselves.
real_data = $(if $(wildcard ../shared/data),PIYASA_REAL_DATA=$(or $(realpath ../shared/data/real),$(error ../shared/data has no folder real)))
# SQLite is C made into Go: nothing is slower under the race detector, and its races would not be ours.
race = -race -gcflags='modernc.org/...=-race=false'
# Shows what a command said, but only when it failed.
quietly = @said=$$($(1) 2>&1) || { echo "$$said" >&2; exit 1; }

# One step of a test, in a shell, and how long it took.
step = printf '\n== make %s\n' "$$step"; SECONDS=0; $(MAKE) --no-print-directory $$step; printf '== make %s: %d s\n' "$$step" $$SECONDS

# Modules of their own. Others' libraries, which two of them use, take long to look at.
modules = test/torture test/contract docs/clients/go/piyasa
modules_all = $(modules) test/bench release/packaging

# Where generated code lies; with the schema of the tests.
generated = graph serve/queryplan/plantest/world

# What goroutines share and is tested without a store, whose drivers take minutes to compile for the
# race detector; test-go-all races everything.
raced = ./account/access ./account/usage ./collect/standin ./domain/kap ./domain/market ./internal/... ./serve/admission ./serve/queryplan

.PHONY: build run pages check-pages generate rooms check-generated vet lint vulnerabilities licences weight setup \
	test test-go test-torture test-contract test-browser test-conformance \
	prepare test-computing test-waiting test-all test-all-computing test-all-waiting lint-others test-go-all test-torture-all test-bench test-clients test-browser-all test-conformance-all fuzz \
	contract torture soak pictures bench bench-peers bench-growth bench-overload bench-scale dist test-dist clean

build:
	@release/scripts/build

run: build
	bin/piyasa demo

# site/web/dist, from site/web/src. It is in the repository, so that building piyasa needs no Node.
pages: site/web/node_modules/.package-lock.json
	cd site/web && npm run build --silent && npm run publish --silent

# Builds the pages again, and fails if site/web/dist has others.
check-pages: site/web/node_modules/.package-lock.json
	cd site/web && npm run build --silent && npm run publish --silent -- --check

site/web/node_modules/.package-lock.json: site/web/package.json site/web/package-lock.json
	# the npm packages of site/web/
	$(call quietly,cd site/web && npm ci --no-audit --no-fund --loglevel=error)
	@touch $@

generate:
	go run ./serve/queryplan/generate -costs account/cost/lists.go gqlgen.yml
	go run ./serve/queryplan/generate -oracle serve/queryplan/plantest/world/gqlgen.yml
	gofmt -w $(generated)

# The picture of the packages in docs/architecture.md.
rooms:
	go run ./release/scripts/rooms

# Compares with the files as they are, committed or not.
check-generated:
	@before=$$(sha256sum $(generated:=/*)); $(MAKE) --silent generate; [[ $$(sha256sum $(generated:=/*)) == "$$before" ]] || \
		{ echo 'generated code was out of date; it has been generated again' >&2; exit 1; }

lint_modules = @for module in $(1); do echo "lint $$module/"; (cd $$module; go vet ./...; go tool -modfile=$(CURDIR)/release/tools/go.mod staticcheck ./...; \
	go tool -modfile=$(CURDIR)/release/tools/go.mod revive -config $(CURDIR)/revive.toml -set_exit_status ./...; go mod tidy -diff); done

vet:
	@unformatted=$$(find . -name node_modules -prune -o -name '*.go' -exec gofmt -l {} +); \
		[[ -z $$unformatted ]] || { printf 'not formatted (gofmt):\n%s\n' "$$unformatted" >&2; exit 1; }
	go vet ./...
	$(go_tool) revive -config revive.toml -set_exit_status ./...
	@for module in . $(modules); do (cd $$module; go mod tidy -diff); done

# staticcheck reads every dependency, too: five minutes where nothing is cached.
lint: vet
	$(go_tool) staticcheck ./...
	$(call lint_modules,$(modules))

# Modules that are for tests and releases alone.
lint-others:
	$(call lint_modules,$(filter-out $(modules),$(modules_all)))

# Known vulnerabilities of the modules, from vuln.go.dev or the copy that release/tools/vulndb/go.mod pins.
vulnerabilities:
	go run ./release/scripts/vulnerabilities

# The list of what bin/piyasa is made of, in docs/licences.md.
licences: build
	go run ./release/scripts/licences

# What there is to know and to wait for, beside the budgets of CONTRIBUTING.md. COMPILE=1 also compiles everything anew.
weight:
	@go run ./release/scripts/weight $(if $(COMPILE),-compile)

# FOR=all: what only the whole of the tests needs, too.
setup:
	@release/scripts/setup $(FOR)

# What a change has to pass, within a quarter of an hour on two cores: what waits most of its
# time runs beside what computes.
test:
	@$(MAKE) --no-print-directory -j2 setup prepare
	@$(MAKE) --no-print-directory -j2 -Otarget test-computing test-waiting

prepare:
	+@for step in check-generated build; do $(step); done

test-computing:
	+@for step in check-pages vet test-contract test-go; do $(step); done

test-waiting:
	+@for step in test-conformance test-torture test-browser; do $(step); done

# What a release has to pass, and main every night: the whole of each test, under the race
# detector, on both stores.
test-all:
	@$(MAKE) --no-print-directory -j2 setup prepare FOR=all
	@$(MAKE) --no-print-directory -j2 -Otarget test-all-computing test-all-waiting

test-all-computing:
	+@for step in check-pages lint vulnerabilities test-contract test-go-all 'fuzz FUZZTIME=2s'; do $(step); done

test-all-waiting:
	+@for step in test-conformance-all test-torture-all test-browser-all test-bench test-clients lint-others; do $(step); done

# graphql-js, which tests compare the answers of queries with.
graphqljs = serve/queryplan/plantest/graphqljs/node_modules/.package-lock.json

$(graphqljs): serve/queryplan/plantest/graphqljs/package.json serve/queryplan/plantest/graphqljs/package-lock.json
	# the npm packages of serve/queryplan/plantest/graphqljs/
	$(call quietly,cd serve/queryplan/plantest/graphqljs && npm ci --no-audit --no-fund --loglevel=error)
	@touch $@

# The conformance suite of the Model Context Protocol, with the Node that it needs.
mcp_suite = serve/mcp/conformance/node_modules/.package-lock.json

$(mcp_suite): serve/mcp/conformance/package.json serve/mcp/conformance/package-lock.json
	# the npm packages of serve/mcp/conformance/
	$(call quietly,cd serve/mcp/conformance && npm ci --no-audit --no-fund --loglevel=error)
	@touch $@

# What the examples of clients in JavaScript use.
examples = docs/clients/javascript/node_modules/.package-lock.json

$(examples): docs/clients/javascript/package.json docs/clients/javascript/package-lock.json
	# the npm packages of docs/clients/javascript/
	$(call quietly,cd docs/clients/javascript && npm ci --no-audit --no-fund --loglevel=error)
	@touch $@

# The engines that read what `piyasa deliver` writes.
readers = serve/deliver/readers/node_modules/.package-lock.json

$(readers): serve/deliver/readers/package.json serve/deliver/readers/package-lock.json
	# the npm packages of serve/deliver/readers/
	$(call quietly,cd serve/deliver/readers && npm ci --no-audit --no-fund --loglevel=error)
	@touch $@

# Real data beside the repository is for test-go-all; lint has vetted everything.
test-go: $(graphqljs) $(mcp_suite) $(examples)
	@mkdir -p out; $(with_postgres) bash -o pipefail -c '{ go test -short -vet=off -timeout 10m -parallel 4 $$(go list ./... | grep -vxF "$$(go list $(raced))") && \
		go test -short $(race) -vet=off -timeout 10m $(raced); } | tee out/test.txt'

test-go-all: $(graphqljs) $(mcp_suite) $(examples) $(readers)
	CI=true $(real_data) $(with_postgres) go test $(race) -vet=off -shuffle=on -timeout 25m -parallel 4 ./...

# Real processes under real faults, but for power cuts; -count=1, as the go command does not see when piyasa has changed.
test-torture: build
	cd test/torture && TORTURE_PIYASA=$(CURDIR)/bin/piyasa go test -count=1 -skip 'TestRollingUpgrade|TestTorture' ./history ./world

# Each test whole, but for a moment.
test-torture-all: build
	cd test/torture && TORTURE_PIYASA=$(CURDIR)/bin/piyasa go test -count=1 ./...

# What is promised to clients, beside what the last release promised.
test-contract: $(graphqljs)
	cd test/contract && go test -count=1 ./...

# At a release: what it promises, for the next one to be compared with.
contract: $(graphqljs)
	cd test/contract && go test -count=1 -run TestContract -update .

# The tests of torture, each for as long as TORTURE says.
torture:
	cd test/torture && TORTURE=$(TORTURE) go test -count=1 -timeout 0 -v ./world ./powercut
	TORTURE=$(TORTURE) go test -count=1 -timeout 0 -run TestSoak ./collect/connectors

# A gateway at work for as long as SOAK says, with 2,000 followers; test-torture has its short form.
soak:
	cd test/torture && SOAK=$(SOAK) go test -count=1 -timeout 0 -v -run TestSoak ./soak

# The comparison with peers, for moments and without those that npm installs.
test-bench:
	cd test/bench && go test -count=1 ./...

# What is released: programs, packages, an image, packages of clients, checksums; two runs on one commit make the same bytes.
dist:
	cd release/packaging && go run . -to $(CURDIR)/$(dist) $(DIST)

# The package for Debian in its short form: made twice, examined, and started. DIST_CLEAN=1 also installs it in a clean
# Debian, which needs a mirror of Debian; DIST_FULL=1 makes everything, too.
test-dist: $(examples)
	cd release/packaging && go test -count=1 -timeout 3h ./...

# The packages of clients, each installed where nothing else is, beside the program that is released, and the chart.
test-clients: $(examples)
	cd release/packaging && go test -count=1 -run 'Clients|Chart' ./...

# The main paths of the pages.
test-browser: build site/web/node_modules/.package-lock.json
	@release/scripts/browser-test test/pages.test.mjs test/replay.test.mjs test/graphiql.test.mjs

test-browser-all: build site/web/node_modules/.package-lock.json
	@release/scripts/browser-test

# The pictures of pages in docs/, light and dark.
pictures: build site/web/node_modules/.package-lock.json
	@release/scripts/pictures

test-conformance: build
	@release/scripts/conformance

test-conformance-all: test-conformance
	$(with_postgres) release/scripts/conformance '{postgres}'

# Benchmarks of the code, and then what each part costs.
bench:
	$(with_postgres) go test -run '^$$' -bench . -benchmem ./...
	$(MAKE) bench-scale

# The comparison with peers, about half an hour on a machine that nobody else uses; BENCH=-help shows its flags.
bench-peers: build test/bench/peers/js/node_modules/.package-lock.json
	cd test/bench && go run . -report $(CURDIR)/docs/benchmarks-peers.md $(BENCH)

# piyasa with ten times as much stored and a year of snapshots, about eight minutes; a hundred times (BENCH='-grow 1,10,100') takes an hour and 40 GB.
bench-growth: build
	cd test/bench && go run . -grow 1,10,year -report $(CURDIR)/docs/growth.md $(BENCH)

# Twice and five times as many heavy requests as piyasa can answer, beside light ones, about a minute.
bench-overload: build
	cd test/bench && go run . -overload $(BENCH)

# What each part costs, up to 40 gateways on one Postgres, and the peak of a day, into docs/scale.md: about ten minutes.
bench-scale: build
	cd test/bench && go run . -scale -report $(CURDIR)/docs/scale.md $(BENCH)

test/bench/peers/js/node_modules/.package-lock.json: test/bench/peers/js/package.json test/bench/peers/js/package-lock.json
	# the npm packages of test/bench/peers/js/
	$(call quietly,cd test/bench/peers/js && npm ci --no-audit --no-fund --loglevel=error)
	@touch $@

# go test fuzzes one target at a time.
fuzz: $(graphqljs)
	@{ grep -rHo --include='*_test.go' --exclude-dir=node_modules '^func Fuzz[A-Za-z0-9_]*' . || true; } | \
	while IFS=: read -r file target; do \
		(cd "$${file%/*}"; go test -run '^$$' -fuzz "^$${target#func }\$$" -fuzztime $(FUZZTIME) . </dev/null); \
	done

clean:
	rm -rf bin out site/web/node_modules test/bench/peers/js/node_modules serve/queryplan/plantest/graphqljs/node_modules serve/mcp/conformance/node_modules docs/clients/javascript/node_modules
