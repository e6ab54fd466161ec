// The copy of the Go vulnerability database that `make vulnerabilities` reads where
// vuln.go.dev cannot be reached; no program of it is used.
module piyasa/release/tools/vulndb

go 1.26.0
