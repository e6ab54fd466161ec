package book

import (
	"fmt"
	"strings"
)

// List returns the list of pages for language models (llms.txt), with addresses on
// the server at base.
func (b *Book) List(base, name, about string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "# %s\n\n> %s\n", name, about)
	for _, part := range b.Parts {
		fmt.Fprintf(&s, "\n## %s\n", part.Title)
		for _, p := range part.Pages {
			fmt.Fprintf(&s, "- [%s](%s): %s\n", p.Title, base+p.Source(), p.About)
		}
	}
	return s.String()
}

// Whole returns the Markdown of the given files as one text, in reading order, each after its
// address.
func (b *Book) Whole(base string, files ...string) string {
	wanted := map[string]bool{}
	for _, f := range files {
		wanted[f] = true
	}
	var s strings.Builder
	for _, p := range b.Pages {
		if wanted[p.File] {
			fmt.Fprintf(&s, "<!-- %s -->\n%s\n", base+p.Source(), strings.TrimSpace(p.Text)+"\n")
		}
	}
	return s.String()
}
