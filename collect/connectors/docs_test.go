package connectors_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"piyasa/collect"
	"piyasa/collect/connectors"
	"piyasa/test/fixture/need"
)

// What docs/connectors.md shows of a configuration can be used as it is.
func TestConfigurationsOfDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/connectors.md")
	need.NoError(t, err)
	t.Chdir(t.TempDir())
	need.NoError(t, os.Mkdir("prices", 0o700))
	t.Setenv("API_KEY", "secret")
	examples := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	for _, e := range examples {
		example := e[1]
		if !strings.Contains(example, `"sources"`) {
			example = `{"sources": {"example": ` + example + `}}`
		}
		if _, err := collect.Read([]byte(example), connectors.Makers); err != nil {
			t.Errorf("%v\n%s", err, e[1])
		}
	}
	if len(examples) < 4 {
		t.Errorf("it shows %d configurations", len(examples))
	}
}
