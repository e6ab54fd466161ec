package reference

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// snippets returns code that sends the request, as consecutive blocks. They read the key from the
// variable KEY of the environment.
func (r request) snippets(base string, keyed bool) string {
	return r.curl(base, keyed) + r.python(base, keyed) + r.javaScript(base, keyed) + r.golang(base, keyed)
}

func (r request) curl(base string, keyed bool) string {
	command := "curl"
	if r.streams {
		command += " -N"
	}
	if r.method != "GET" && r.method != "POST" {
		command += " -X " + r.method
	}
	if keyed {
		command += ` -H "X-API-Key: $KEY"`
	}
	if strings.HasPrefix(r.answers, "image/") || r.answers == "application/octet-stream" {
		command += " -o answer"
	}
	command += " '" + base + r.path + "'"
	if r.body != "" {
		command += " \\\n  -H 'Content-Type: application/json' -d '" + r.body + "'"
	}
	return "```sh\n" + command + "\n```\n"
}

func (r request) python(base string, keyed bool) string {
	headers, data, imports := []string{}, "", []string{}
	if keyed {
		headers, imports = append(headers, `"X-API-Key": os.environ["KEY"]`), append(imports, "os")
	}
	if r.body != "" {
		headers, data = append(headers, `"Content-Type": "application/json"`), ", data="+strconv.Quote(r.body)+".encode()"
	}
	if len(headers) > 0 {
		data += ", headers={" + strings.Join(headers, ", ") + "}"
	}
	if r.method != "GET" && r.method != "POST" {
		data += fmt.Sprintf(", method=%q", r.method)
	}
	use, from := "print(answer.read().decode())", ""
	switch {
	case r.streams:
		use = "for line in answer:\n        print(line.decode(), end=\"\")"
	case r.answers == jsonMedia:
		use, from, imports = "print(json.load(answer, parse_float=Decimal))", "from decimal import Decimal\n", append(imports, "json")
	case strings.HasPrefix(r.answers, "image/"), r.answers == "application/octet-stream":
		use = `open("answer", "wb").write(answer.read())`
	}
	imports = append(imports, "urllib.request")
	slices.Sort(imports)
	return fmt.Sprintf("```python\nimport %s\n%s\nrequest = urllib.request.Request(%q%s)\nwith "+
		"urllib.request.urlopen(request, timeout=30) "+
		"as answer:\n    %s\n```\n",
		strings.Join(imports, ", "), from, base+r.path, data, use)
}

func (r request) javaScript(base string, keyed bool) string {
	var options, headers []string
	if r.method != "GET" {
		options = append(options, "method: '"+r.method+"'")
	}
	if keyed {
		headers = append(headers, "'X-API-Key': process.env.KEY")
	}
	if r.body != "" {
		headers = append(headers, "'Content-Type': 'application/json'")
	}
	if len(headers) > 0 {
		options = append(options, "headers: { "+strings.Join(headers, ", ")+" }")
	}
	if r.body != "" {
		options = append(options, "body: '"+strings.ReplaceAll(r.body, `\`, `\\`)+"'")
	}
	options = append(options, "signal: AbortSignal.timeout(30_000)")
	use := "console.log(await answer.text());"
	switch {
	case r.streams:
		use = "for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) console.log(piece);"
	case r.answers == jsonMedia:
		use = "console.log(await answer.json());"
	case strings.HasPrefix(r.answers, "image/"), r.answers == "application/octet-stream":
		use = "console.log(answer.headers.get('Content-Type'), (await answer.arrayBuffer()).byteLength);"
	}
	return fmt.Sprintf("```js\nconst answer = await fetch('%s', {\n  %s,\n});\nif (!answer.ok) throw new Error(await "+
		"answer.text());\n%s\n```\n", base+r.path, strings.Join(options, ",\n  "), use)
}

func (r request) golang(base string, keyed bool) string {
	imports, body, headers := []string{"fmt", "io", "log", "net/http", "time"}, "nil", ""
	if r.body != "" {
		imports, body = append(imports, "strings"), "strings.NewReader(`"+r.body+"`)"
		headers += "\trequest.Header.Set(\"Content-Type\", \"application/json\")\n"
	}
	if keyed {
		imports = append(imports, "os")
		headers += "\trequest.Header.Set(\"X-API-Key\", os.Getenv(\"KEY\"))\n"
	}
	slices.Sort(imports)
	return fmt.Sprintf("```go\npackage main\n\nimport (\n\t%s\n)\n\nfunc main() {\n\trequest, err := "+
		"http.NewRequest(%q, %q, %s)\n\tif err "+
		"!= nil {\n\t\tlog.Fatal(err)\n\t}\n%s"+
		"\tclient := http.Client{Timeout: 30 * time.Second}\n\tanswer, err := client.Do(request)\n\tif err != nil "+
		"{\n\t\tlog.Fatal(err)\n\t}\n\tdefer answer.Body.Close()\n"+
		"\ttext, err := io.ReadAll(answer.Body)\n\tif err != nil || answer.StatusCode/100 != 2 {\n\t\tlog.Fatal(answer.Status, err, "+
		"string(text))\n\t}\n\tfmt.Println(string(text))\n}\n```\n",
		`"`+strings.Join(imports, "\"\n\t\"")+`"`, r.method, base+r.path, body, headers)
}
