package reference

import (
	"bytes"
	"html/template"
	"slices"
)

// trial is a form with which a reader tries an operation or a socket.
type trial struct {
	Method, Path string
	Keyed        bool
	Fields       []field
	Body         string
	Socket       bool
	CSV          bool // whether the answer is also available as CSV
}

type field struct {
	Name, In, Value, About string
	Required               bool
	Values                 []string
}

var trials = template.Must(template.New("try").Parse(`<section class="try" aria-labelledby="try-it">
<h2 id="try-it">Try it <a class="anchor" href="#try-it" aria-label="Link to Try it">#</a></h2>
<form data-method="{{.Method}}" data-path="{{.Path}}"{{if .Keyed}} data-keyed{{end}}{{if .Socket}} data-socket{{end}} autocomplete="off">
{{- range .Fields}}<label title="{{.About}}"><span>{{.Name}}{{if .Required}} <small>required</small>{{end}}</span>
{{- if .Values}}<select name="{{.Name}}" data-in="{{.In}}"><option value="">–</option>{{$v := .Value}}{{range .Values}}<option{{if eq . $v}} selected{{end}}>{{.}}</option>{{end}}</select>
{{- else}}<input name="{{.Name}}" data-in="{{.In}}" value="{{.Value}}" spellcheck="false"{{if .Required}} required{{end}}>{{end}}</label>{{end}}
{{- if .Body}}<label class="wide"><span>{{if .Socket}}Message{{else}}Body{{end}}</span><textarea data-body rows="3" spellcheck="false">{{.Body}}</textarea></label>{{end}}
<p class="buttons"><button>{{if .Socket}}Connect and send{{else}}Send{{end}}</button>{{if .Socket}} <button type="button" data-close disabled>Close</button>{{else}} <button type="button" data-curl>Copy as curl</button>{{end}}
{{- if .CSV}} <button type="button" data-csv>Save as CSV</button>{{end}} <code data-line></code></p>
</form>
<noscript><p>The form needs JavaScript; the code above does not.</p></noscript>
<div data-answer hidden><p role="status"></p><pre tabindex="0" aria-label="Answer"></pre></div>
</section>
`))

func (t trial) html() string {
	var s bytes.Buffer
	if err := trials.Execute(&s, t); err != nil {
		panic("reference: " + err.Error()) // the template and its data are ours
	}
	return s.String()
}

// try returns the form of an operation; empty where a form could show nothing: for pages, streams
// and operations that need a signed link.
func try(o *operation, r request) string {
	_, page := o.Responses["200"].Content["text/html"]
	signed := slices.ContainsFunc(o.Parameters, func(p parameter) bool { return p.Name == "signature" })
	if r.streams || page || signed || r.answers == "" || o.method != "GET" && r.body == "" {
		return ""
	}
	_, csv := o.Responses["200"].Content["text/csv"]
	t := trial{Method: o.method, Path: o.path, Keyed: o.keyed(), Body: r.body, CSV: csv && o.method == "GET"}
	for _, p := range o.Parameters {
		f := field{Name: p.Name, In: p.In, Value: r.value(o, p), About: p.Description, Required: p.Required}
		if p.Schema != nil && p.Schema.Items == nil {
			for _, v := range p.Schema.Enum {
				if text, ok := v.(string); ok {
					f.Values = append(f.Values, text)
				}
			}
		}
		t.Fields = append(t.Fields, f)
	}
	return t.html()
}
