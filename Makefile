# Needs Go and make, nothing else: the tools are built by Go from tools/go.mod on first use.
GO    ?= go
TOOL   = $(GO) tool -modfile=tools/go.mod
BUILD  = $(GO) build -ldflags="-s -w"
FUZZTIME ?= 1s

# All is compiled the way of the static binary that is handed out: the checks, the tests and the
# binaries that the tests build share what is compiled. tools/race.sh alone needs another way.
export CGO_ENABLED = 0
export GOFLAGS := $(strip $(filter-out -trimpath,$(shell $(GO) env GOFLAGS)) -trimpath)

.PHONY: build demo test check race fuzz unit soak mutants bench figures table screenshots cross supply book dist clean

build: ## the static binary
	$(BUILD) -o mingle ./cmd/mingle

demo: build ## anonymize the bundled example, verify it, leave a report to open
	@sh tools/demo.sh

test: check race fuzz unit ## everything; go test's own lines come last

check: ## what go test would look for with vet is in here: the other parts leave that out
	$(GO) vet ./...
	@bad=$$($(TOOL) gofumpt -l .); if [ -n "$$bad" ]; then echo "gofumpt would change:"; echo "$$bad"; exit 1; fi
	$(TOOL) staticcheck ./...

race:
	@sh tools/race.sh $(GO)

fuzz: ## every fuzz target for a second
	@sh tools/fuzz.sh $(GO) $(FUZZTIME)

# the packages that take longest, so that none of them is alone at the end
LONGEST = ./pipeline ./cmd/mingle ./verify ./cluster/spark ./anonymize/local ./cluster ./cmd/dist ./proofs

# one package more than there are processors: some tests wait, for a browser or a signal
AT_ONCE = $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

unit:
	$(GO) test -vet=off -timeout 40m -p $(AT_ONCE) $(LONGEST) ./...

soak: ## more of the enumerations and attacks of make test, and ten seconds of each fuzz target: an hour; TURN=2 takes other parts
	MINGLE_SOAK=$(or $(TURN),1) $(GO) test -vet=off -count=1 -timeout 0 -v -p $(AT_ONCE) -run 'Soak' $(LONGEST) ./...
	@sh tools/fuzz.sh $(GO) 10s
	@MINGLE_SOAK=$(or $(TURN),1) sh tools/fuzz-blind.sh $(GO) 100ms $$(mktemp)

mutants: ## changes the judges in one place after the other: does a test notice? hours; MUTANTS=./privacy for one package
	@bad=0; for p in $(or $(MUTANTS),./privacy ./release ./verify ./verify/bound ./internal/publish); do \
		sh tools/mutants.sh -known docs/mutants.md $$p || bad=1; \
	done; exit $$bad

bench: ## benchmarks, ten times each, summed up by benchstat
	$(GO) test -run='^$$' -bench=. -count=$(or $(COUNT),10) ./... > bench.txt
	$(TOOL) benchstat bench.txt

figures: ## every figure of the papers into bench/README.md; FRESH=1 takes all results anew
	@if [ -n "$(FRESH)" ]; then rm -f bench/results.csv; fi
	$(GO) run ./bench/figures

table: ## all algorithms on all data into bench/all-algorithms.md; goes on where it was stopped
	$(GO) run ./bench/figures all-algorithms

screenshots: ## the pictures in docs/; needs Chromium and, for the report's, the public data
	MINGLE_SCREENSHOTS=$(CURDIR)/docs $(GO) test -count=1 -run TestServe/example ./cmd/mingle
	cd docs && rm -f serve-*-dark.png serve-edit-* serve-run-* serve-items-* serve-losses-*
	find docs -name 'serve-*-phone.png' ! -name serve-lines-phone.png -delete
	MINGLE_SCREENSHOTS=$(CURDIR)/docs $(GO) test -count=1 -run 'TestReportInBrowser/groceries' ./cmd/mingle
	rm docs/report-groceries-paper.png docs/report-groceries-dark.png

cross: ## binaries for other systems, in dist/
	@for t in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64; do \
		os=$${t%/*}; arch=$${t#*/}; ext=; [ $$os = windows ] && ext=.exe; \
		echo "dist/mingle-$$os-$$arch$$ext"; \
		GOOS=$$os GOARCH=$$arch $(BUILD) -o dist/mingle-$$os-$$arch$$ext ./cmd/mingle || exit 1; \
	done

book: ## the documentation as one file to read and search without a network, in dist/
	$(GO) run ./cmd/dist -o dist -make book

supply: ## checksums of all modules, and known weaknesses of those in use
	$(GO) mod verify
	$(GO) run golang.org/x/vuln/cmd/govulncheck@latest ./...

dist: ## archives for five platforms, Debian packages, wheels and checksums, in dist/: the same bytes each time
	$(GO) run ./cmd/dist -o dist

clean:
	rm -rf mingle dist demo-out bench.txt
