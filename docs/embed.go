// Package docs is this folder: the pages of the documentation and what they show.
package docs

import "embed"

// Files are the pages and the files that they link to. README.md is the table of
// contents.
//
//go:embed *.md *.png *.sql decisions/*.md clients/*/*.go clients/*/*.mjs clients/*/*.py
var Files embed.FS
