package manual

import (
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Candidate is a word that could come next.
type Candidate struct{ Word, Help string }

// Completion is what could come next on a line.
type Completion struct {
	Candidates     []Candidate
	Files, Folders bool // also the names of files, or of folders only
}

// Complete returns what the last of words, which may be empty, could become; the name
// of the program is not among them. The variables are those in the tags of flags.
func Complete(app *kong.Application, vars kong.Vars, words []string) Completion {
	words = joined(words)
	if len(words) == 0 {
		words = []string{""}
	}
	command, arguments, rest := app.Node, 0, false
	var value *kong.Flag // whose value comes next
	for i, word := range words[:len(words)-1] {
		switch {
		case value != nil:
			value = nil
		case rest:
			arguments++
		case word == "--":
			rest = true
		case word == "help" && i == 0:
		case strings.HasPrefix(word, "-"):
			if f := flagNamed(command, word); f != nil && takesValue(f) {
				value = f
			}
		default:
			if next, ok := Find(command, []string{word}); ok && arguments == 0 {
				command = next
			} else {
				arguments++
			}
		}
	}
	last := words[len(words)-1]
	if value != nil {
		return valuesOf(value.Value, value.PlaceHolder, last, "", vars)
	}
	if name, text, found := strings.Cut(last, "="); found && !rest && strings.HasPrefix(name, "--") {
		if f := flagNamed(command, name); f != nil && takesValue(f) {
			return valuesOf(f.Value, f.PlaceHolder, text, name+"=", vars)
		}
		return Completion{}
	}
	if strings.HasPrefix(last, "-") && !rest {
		return flagsFrom(command, last)
	}
	if command.DefaultCmd != nil && arguments > 0 {
		command = command.DefaultCmd
	}
	var out Completion
	if arguments == 0 && !rest {
		for _, c := range command.Children {
			if !c.Hidden && strings.HasPrefix(c.Name, last) {
				out.Candidates = append(out.Candidates, Candidate{c.Name, c.Help})
			}
		}
		if command.DefaultCmd != nil {
			command = command.DefaultCmd
		}
	}
	if arguments = min(arguments, len(command.Positional)-1); arguments >= 0 {
		p := command.Positional[arguments]
		more := valuesOf(p, p.Tag.PlaceHolder, last, "", vars)
		out.Candidates = append(out.Candidates, more.Candidates...)
		out.Files, out.Folders = more.Files, more.Folders
	}
	return out
}

// joined returns words with those put together again that bash takes apart at an equals
// sign.
func joined(words []string) []string {
	var out []string
	for i, word := range words {
		n := len(out) - 1
		switch {
		case n >= 0 && word == "=" && strings.HasPrefix(out[n], "--") && !strings.Contains(out[n], "="):
			out[n] += "="
		case n >= 0 && i > 0 && words[i-1] == "=" && strings.HasSuffix(out[n], "="):
			out[n] += word
		default:
			out = append(out, word)
		}
	}
	return out
}

func flagNamed(command *kong.Node, word string) *kong.Flag {
	for _, f := range flagsOf(command) {
		if word == "--"+f.Name || f.Short != 0 && word == "-"+string(f.Short) {
			return f
		}
	}
	return nil
}

func flagsFrom(command *kong.Node, prefix string) Completion {
	var out Completion
	for _, f := range flagsOf(command) {
		if word := "--" + f.Name; strings.HasPrefix(word, prefix) {
			out.Candidates = append(out.Candidates, Candidate{word, f.Help})
		}
	}
	return out
}

// The values that the placeholder of a flag stands for.
var (
	files   = []string{"FILE", "PATH", "PLACE"}
	folders = []string{"FOLDER"}
)

// valuesOf returns the values that begin with text; the words begin with before. The tag
// values lists them where kong itself need not check, and list says that there may be
// several, separated by commas.
func valuesOf(v *kong.Value, placeholder, text, before string, vars kong.Vars) Completion {
	allowed := v.Enum
	if allowed == "" {
		allowed = os.Expand(v.Tag.Get("values"), func(name string) string { return vars[name] })
	}
	if allowed == "" {
		return Completion{Files: slices.Contains(files, placeholder), Folders: slices.Contains(folders, placeholder)}
	}
	if i := strings.LastIndex(text, ","); i >= 0 && v.Tag.Has("list") {
		before, text = before+text[:i+1], text[i+1:]
	}
	var out Completion
	for word := range strings.SplitSeq(allowed, ",") {
		if word = strings.TrimSpace(word); word != "" && strings.HasPrefix(word, text) {
			out.Candidates = append(out.Candidates, Candidate{before + word, ""})
		}
	}
	return out
}
