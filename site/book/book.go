// Package book makes a book of pages in Markdown: a table of contents, pages for people and for
// programs, a search, and lists for language models. The files are also readable in the repository:
// their links lead to files, and become addresses in the book.
package book

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// Root is the address of a book's table of contents, and the prefix of the addresses of its pages.
const Root = "/docs"

// contents is the file with the table of contents; in a subfolder, the page that leads to the
// others there.
const contents = "README.md"

// Source is a page that is to be added to a book.
type Source struct {
	File  string // relative to the folder of the book
	Title string // in the table of contents
	About string // one line
	Group string // name of the group that it and neighbouring pages are in; empty: none
	Text  string // Markdown
	Panel Panel
	// Below are the pages that this one leads to.
	Below []Source
}

// Panel is a part of a page that only people see, not its Markdown.
type Panel struct {
	HTML   string // inserted unchanged
	Before string // anchor of the heading that it stands before
}

// Part is a part of the book with its top-level pages.
type Part struct {
	Title string
	Pages []*Page
}

// Book is the documentation as the site shows it: pages of Markdown in reading order, an index for
// searches, and lists for language models. It finds pages by their addresses (At).
type Book struct {
	Home  *Page
	Parts []Part
	Pages []*Page // in reading order: a page, then those below it

	files   fs.FS
	byFile  map[string]*Page
	index   func() *index
	renders *markdown
}

// Page is a page of the book.
type Page struct {
	File, Title, About, Group string
	Text                      string // Markdown, with links that work on a server
	Part                      string
	Above                     *Page // the page that leads to it; nil: the table of contents does
	Below                     []*Page
	Previous, Next            *Page

	panel  Panel
	render func() Rendered
}

// New reads the book in files, whose contents file lists the pages, and adds parts that other
// packages made.
func New(files fs.FS, more ...Added) (*Book, error) {
	b := &Book{files: files, byFile: map[string]*Page{}}
	b.renders = newMarkdown(b)
	text, err := fs.ReadFile(files, contents)
	if err != nil {
		return nil, err
	}
	listed := b.renders.contents(text)
	home := string(text)
	for _, a := range more {
		at := slices.IndexFunc(listed, func(p listedPart) bool { return p.title == a.Before })
		if at < 0 {
			return nil, fmt.Errorf("%s has no part %q", contents, a.Before)
		}
		listed = slices.Insert(listed, at, listedPart{a.Title, a.Pages})
		home = strings.Replace(home, "\n## "+a.Before+"\n", a.markdown()+"\n## "+a.Before+"\n", 1)
	}
	b.Home = b.page(Source{File: contents, Title: "Contents", Text: home}, "", nil)
	for _, p := range listed {
		part := Part{Title: p.title}
		for _, s := range p.pages {
			if s.Text == "" {
				if s, err = b.read(s); err != nil {
					return nil, err
				}
			}
			part.Pages = append(part.Pages, b.add(s, p.title, nil))
		}
		b.Parts = append(b.Parts, part)
	}
	for i := 1; i < len(b.Pages); i++ {
		b.Pages[i].Previous, b.Pages[i-1].Next = b.Pages[i-1], b.Pages[i]
	}
	for _, p := range append([]*Page{b.Home}, b.Pages...) {
		p.Text = b.served(p.File, p.Text)
	}
	b.index = sync.OnceValue(func() *index { return newIndex(b) })
	return b, nil
}

// Added is a part of the book whose pages are not files.
type Added struct {
	Title  string
	Before string // title of the part that it stands before
	Pages  []Source
}

func (a Added) markdown() string {
	var s strings.Builder
	fmt.Fprintf(&s, "\n## %s\n", a.Title)
	for _, p := range a.Pages {
		fmt.Fprintf(&s, "- [%s](%s): %s\n", p.Title, p.File, p.About)
	}
	return s.String()
}

// read reads the text of a page and the pages below it: those in its folder that it links to.
func (b *Book) read(s Source) (Source, error) {
	text, err := fs.ReadFile(b.files, s.File)
	if err != nil {
		return s, fmt.Errorf("%s lists %s: %w", contents, s.File, err)
	}
	s.Text = string(text)
	folder := path.Dir(s.File)
	if folder == "." || path.Base(s.File) != contents {
		return s, nil
	}
	for _, p := range b.renders.contents(text) {
		for _, below := range p.pages {
			below.File = path.Join(folder, below.File)
			if below, err = b.read(below); err != nil {
				return s, err
			}
			s.Below = append(s.Below, below)
		}
	}
	return s, nil
}

// page makes a page and registers it under its file.
func (b *Book) page(s Source, part string, above *Page) *Page {
	p := &Page{
		File: s.File, Title: s.Title, About: s.About, Group: s.Group, Text: s.Text,
		Part: part, Above: above, panel: s.Panel,
	}
	p.render = sync.OnceValue(func() Rendered { return b.renders.page(p) })
	b.byFile[p.File] = p
	return p
}

// add adds a page and those below it.
func (b *Book) add(s Source, part string, above *Page) *Page {
	p := b.page(s, part, above)
	b.Pages = append(b.Pages, p)
	for _, below := range s.Below {
		p.Below = append(p.Below, b.add(below, part, p))
	}
	return p
}

// Rendered returns the page as HTML. The first call makes it.
func (p *Page) Rendered() Rendered { return p.render() }

// Address returns the address of the page.
func (p *Page) Address() string { return address(p.File) }

// Source returns the address of its Markdown.
func (p *Page) Source() string { return Root + "/" + p.File }

// address returns the address of a file of the book, without the ending .md.
func address(file string) string {
	if path.Base(file) == contents {
		file = path.Dir(file)
	}
	return strings.TrimSuffix(path.Join(Root, strings.TrimSuffix(file, ".md")), "/")
}

// At returns the page with an address, or nil. source reports whether the address is that of its
// Markdown.
func (b *Book) At(at string) (p *Page, source bool) {
	file := strings.TrimPrefix(strings.TrimPrefix(at, Root), "/")
	if p := b.byFile[file]; p != nil {
		return p, true
	}
	if path.Base(file) == contents || strings.HasSuffix(file, ".md") {
		return nil, false
	}
	if p := b.byFile[file+".md"]; p != nil {
		return p, false
	}
	return b.byFile[path.Join(file, contents)], false
}

// File returns the content of a file other than a page, such as a picture.
func (b *Book) File(at string) ([]byte, bool) {
	file := strings.TrimPrefix(at, Root+"/")
	if strings.HasSuffix(file, ".md") || !fs.ValidPath(file) {
		return nil, false
	}
	text, err := fs.ReadFile(b.files, file)
	return text, err == nil
}
