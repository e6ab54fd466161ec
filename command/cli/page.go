package cli

import (
	"fmt"
	"go/doc/comment"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Page is a page of the manual.
type Page struct {
	Name string // such as piyasa-serve.1
	Text string // roff
}

// Section is a part of every page.
type Section struct {
	Title string // in capitals
	Text  string // formatted like a comment in Go
}

// Pages returns the manual of a program, a page for each command.
func (p *Program) Pages(version string, sections []Section) []Page {
	var pages []Page
	for _, c := range Commands(p.Root) {
		pages = append(pages, p.Page(c, version, sections))
	}
	return pages
}

// Page returns the page of one command.
func (p *Program) Page(c *cobra.Command, version string, sections []Section) Page {
	name := pageName(c)
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" %s %s\n", quoted(strings.ToUpper(name)), quoted(p.Root.Name()+" "+version), quoted("User commands"))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escaped(name), escaped(strings.TrimSuffix(c.Short, ".")))
	b.WriteString(".SH SYNOPSIS\n")
	p.synopsis(&b, c)
	b.WriteString(".SH DESCRIPTION\n")
	prose(&b, c.Short)
	prose(&b, c.Long)
	if arguments := p.arguments[c]; len(arguments) > 0 {
		b.WriteString(".SH ARGUMENTS\n")
		for _, a := range arguments {
			entry(&b, "\\fI"+escaped(a.name)+"\\fR", a.help)
		}
	}
	b.WriteString(".SH OPTIONS\n")
	eachFlag(c, false, func(f *pflag.Flag) { entry(&b, term(f), f.Usage) })
	if below := shown(c); len(below) > 0 {
		b.WriteString(".SH COMMANDS\n")
		for _, one := range below {
			entry(&b, "\\fB"+escaped(pageName(one))+"\\fR(1)", one.Short)
		}
	}
	for _, s := range sections {
		fmt.Fprintf(&b, ".SH %s\n", escaped(s.Title))
		prose(&b, s.Text)
	}
	related(&b, c)
	return Page{Name: name + ".1", Text: afterTitle.ReplaceAllString(b.String(), "$1")}
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// afterTitle is a paragraph that begins where its section does: roff begins one anyway.
var afterTitle = regexp.MustCompile(`(?m)(^\.SH .*\n)\.PP\n`)

// synopsis writes how a command is called.
func (p *Program) synopsis(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\\fB%s\\fR", escaped(c.CommandPath()))
	if c.HasSubCommands() && p.arguments[c] == nil {
		b.WriteString(" \\fIcommand\\fR")
	}
	for _, f := range required(c) {
		b.WriteString(" " + term(f))
	}
	b.WriteString(" [\\fIoptions\\fR]")
	for _, a := range p.arguments[c] {
		b.WriteString(" \\fI" + escaped(a.name) + "\\fR")
		if a.several() {
			b.WriteString(" ...")
		}
	}
	b.WriteString("\n")
}

func term(f *pflag.Flag) string {
	text := "\\fB" + escaped("--"+f.Name) + "\\fR"
	if f.Shorthand != "" {
		text = "\\fB" + escaped("-"+f.Shorthand) + "\\fR, " + text
	}
	if f.NoOptDefVal == "" {
		text += "=\\fI" + escaped(f.Value.Type()) + "\\fR"
	}
	return text
}

// entry writes a term and what it means.
func entry(b *strings.Builder, term, text string) {
	fmt.Fprintf(b, ".TP\n%s\n%s\n", term, line(escaped(text)))
}

// related writes which other pages there are.
func related(b *strings.Builder, c *cobra.Command) {
	var names []string
	above := c
	if c.HasParent() {
		above = c.Parent()
		names = append(names, pageName(above))
	}
	for _, other := range shown(above) {
		if other != c {
			names = append(names, pageName(other))
		}
	}
	b.WriteString(".SH SEE ALSO\n")
	for i, name := range names {
		names[i] = fmt.Sprintf(".BR %s (1)", escaped(name))
	}
	b.WriteString(strings.Join(names, ",\n") + "\n")
}

// prose writes text that is formatted like a comment in Go: paragraphs, lists, and
// indented lines as they are.
func prose(b *strings.Builder, text string) {
	for _, block := range new(comment.Parser).Parse(text).Content {
		switch block := block.(type) {
		case *comment.Code:
			b.WriteString(".PP\n.RS 4\n.nf\n")
			for l := range strings.Lines(strings.TrimRight(block.Text, "\n")) {
				b.WriteString(line(escaped(strings.TrimRight(l, "\n"))) + "\n")
			}
			b.WriteString(".fi\n.RE\n")
		case *comment.List:
			for _, item := range block.Items {
				b.WriteString(".IP \\(bu 2\n")
				for _, part := range item.Content {
					b.WriteString(line(escaped(plain(part))) + "\n")
				}
			}
		default:
			b.WriteString(".PP\n" + line(escaped(plain(block))) + "\n")
		}
	}
}

// plain returns the words of a block on one line.
func plain(block comment.Block) string {
	printer := comment.Printer{TextWidth: -1}
	return strings.Join(strings.Fields(string(printer.Text(&comment.Doc{Content: []comment.Block{block}}))), " ")
}

// line returns text that roff does not take for a request.
func line(text string) string {
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return "\\&" + text
	}
	return text
}

var special = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`)

// escaped returns text that roff prints as it is, with every letter.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range special.Replace(text) {
		if r < 128 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		}
	}
	return b.String()
}

func quoted(text string) string { return `"` + strings.ReplaceAll(escaped(text), `"`, `\(dq`) + `"` }
