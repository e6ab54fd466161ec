package manual

import (
	"fmt"
	"go/doc/comment"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
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
func Pages(app *kong.Application, version string, sections []Section) []Page {
	var pages []Page
	for _, n := range Commands(app.Node) {
		pages = append(pages, PageOf(app, n, version, sections))
	}
	return pages
}

// PageOf returns the page of one command.
func PageOf(app *kong.Application, n *kong.Node, version string, sections []Section) Page {
	name := strings.Join(Names(n), "-")
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" %s %s\n", quoted(strings.ToUpper(name)), quoted(app.Name+" "+version), quoted("User commands"))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escaped(name), escaped(strings.TrimSuffix(n.Help, ".")))
	b.WriteString(".SH SYNOPSIS\n")
	synopsis(&b, n)
	b.WriteString(".SH DESCRIPTION\n")
	prose(&b, n.Help)
	prose(&b, n.Detail)
	if len(n.Positional) > 0 {
		b.WriteString(".SH ARGUMENTS\n")
		for _, p := range n.Positional {
			entry(&b, "\\fI"+escaped(p.Name)+"\\fR", Help(p))
		}
	}
	b.WriteString(".SH OPTIONS\n")
	for _, f := range flagsOf(n) {
		entry(&b, option(f), Help(f.Value))
	}
	if len(n.Children) > 0 {
		b.WriteString(".SH COMMANDS\n")
		for _, c := range n.Children {
			if !c.Hidden {
				entry(&b, "\\fB"+escaped(strings.Join(Names(c), "-"))+"\\fR(1)", c.Help)
			}
		}
	}
	for _, s := range sections {
		fmt.Fprintf(&b, ".SH %s\n", escaped(s.Title))
		prose(&b, s.Text)
	}
	related(&b, n)
	return Page{Name: name + ".1", Text: afterTitle.ReplaceAllString(b.String(), "$1")}
}

// afterTitle is a paragraph that begins where its section does: roff begins one anyway.
var afterTitle = regexp.MustCompile(`(?m)(^\.SH .*\n)\.PP\n`)

// synopsis writes how a command is called.
func synopsis(b *strings.Builder, n *kong.Node) {
	fmt.Fprintf(b, "\\fB%s\\fR", escaped(strings.Join(Names(n), " ")))
	if len(n.Children) > 0 && n.DefaultCmd == nil {
		b.WriteString(" \\fIcommand\\fR")
	}
	for _, f := range flagsOf(n) {
		if f.Required {
			b.WriteString(" " + option(f))
		}
	}
	b.WriteString(" [\\fIoptions\\fR]")
	for _, p := range n.Positional {
		b.WriteString(" \\fI" + escaped(p.Name) + "\\fR")
		if p.IsCumulative() {
			b.WriteString(" ...")
		}
	}
	b.WriteString("\n")
}

func option(f *kong.Flag) string {
	text := "\\fB" + escaped("--"+f.Name) + "\\fR"
	if f.Short != 0 {
		text = "\\fB" + escaped("-"+string(f.Short)) + "\\fR, " + text
	}
	if takesValue(f) {
		text += "=\\fI" + escaped(f.FormatPlaceHolder()) + "\\fR"
	}
	return text
}

// entry writes a term and what it means.
func entry(b *strings.Builder, term, text string) {
	fmt.Fprintf(b, ".TP\n%s\n%s\n", term, line(escaped(text)))
}

// related writes which other pages there are.
func related(b *strings.Builder, n *kong.Node) {
	var names []string
	above := n
	if n.Parent != nil {
		above = n.Parent
		names = append(names, strings.Join(Names(above), "-"))
	}
	for _, c := range above.Children {
		if c != n && !c.Hidden {
			names = append(names, strings.Join(Names(c), "-"))
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
