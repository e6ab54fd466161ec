// The copy of the Go vulnerability database that `make vulnerabilities` reads where
// vuln.go.dev cannot be reached; no program of it is used.
module piyasa/release/tools/vulndb

go 1.26.0

require golang.org/x/vulndb v0.0.0-20261105234957-e22db6528018
