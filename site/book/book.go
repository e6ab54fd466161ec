// Package book makes a book of pages in Markdown: a table of contents, pages for
// people and for programs, a search, and lists for language models. The same files
// are readable where they lie: links lead to files, and become addresses here.
package book

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// Root is the address of a book's table of contents, and what those of its pages
// begin with.
const Root = "/docs"

// contents is the file that is the table of contents, and in a folder the page that
// leads to the others there.
const contents = "README.md"

// Source is a page before it is in a book.
type Source struct {
	File  string // relative to the folder of the book
	Title string // in the table of contents
	About string // one line
	Group string // what the pages beside it of the same group share; empty: nothing
	Text  string // Markdown
	Panel Panel
	// Below are the pages that this one leads to.
	Below []Source
}

// Panel is what a page has for people only.
type Panel struct {
	HTML   string // put in as it is
	Before string // anchor of the heading that it stands before
}

// Part is a part of the book with its pages, those at the top.
type Part struct {
	Title string
	Pages []*Page
}

// Book is the documentation, as the site shows it: the pages of docs/ rendered from Markdown, in reading
// order, with their sections for the search.
type Book struct {
	Home  *Page
	Parts []Part
	Pages []*Page // in reading order, those below behind the one that leads to them

	files   fs.FS
	byFile  map[string]*Page
	index   func() *index
	renders *markdown
}

// Page is a page of the book.
type Page struct {
	File, Title, About, Group string
	Text                      string // Markdown, whose links lead somewhere in a server
	Part                      string
	Above                     *Page // the page that leads to it; nil: the table of contents does
	Below                     []*Page
	Previous, Next            *Page

	panel  Panel
	render func() Rendered
}

// New reads the book in files, whose contents file lists the pages, and adds parts
// that were made elsewhere.
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

// Added is a part of the book that no files hold.
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

// read fills in a page of the files, with the pages below it: those in its folder
// that it links to.
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

// page makes a page and remembers it.
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

// Address returns where the page is.
func (p *Page) Address() string { return address(p.File) }

// Source returns where its Markdown is.
func (p *Page) Source() string { return Root + "/" + p.File }

// address returns the address of a file of the book: pages lose their ending.
func address(file string) string {
	if path.Base(file) == contents {
		file = path.Dir(file)
	}
	return strings.TrimSuffix(path.Join(Root, strings.TrimSuffix(file, ".md")), "/")
}

// At returns the page with an address, or nil; source is whether its Markdown is
// meant.
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

// File returns the content of a file that is no page, such as a picture.
func (b *Book) File(at string) ([]byte, bool) {
	file := strings.TrimPrefix(at, Root+"/")
	if strings.HasSuffix(file, ".md") || !fs.ValidPath(file) {
		return nil, false
	}
	text, err := fs.ReadFile(b.files, file)
	return text, err == nil
}
