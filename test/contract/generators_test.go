package contract

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	// What the generated code imports.
	_ "github.com/oapi-codegen/runtime"
	_ "github.com/ogen-go/ogen/conv"
	_ "github.com/ogen-go/ogen/json"
	_ "github.com/ogen-go/ogen/middleware"
	_ "github.com/ogen-go/ogen/ogenerrors"
	_ "github.com/ogen-go/ogen/otelogen"
	_ "github.com/ogen-go/ogen/uri"
	_ "github.com/ogen-go/ogen/validate"
	_ "go.opentelemetry.io/otel"
	_ "go.opentelemetry.io/otel/semconv/v1.39.0"
)

// The variant for tools that read OpenAPI 3.0 alone is a document of 3.0 with the same operations.
func TestOpenAPI30(t *testing.T) {
	paths := map[string]int{}
	for name, version := range map[string]string{openAPI: "3.1", openAPI30: "3.0"} {
		document, err := openapi3.NewLoader().LoadFromData(served(t)[name])
		if err != nil {
			t.Fatal(err)
		}
		if err := document.Validate(t.Context()); err != nil || !strings.HasPrefix(document.OpenAPI, version) {
			t.Errorf("%s is %s: %v", name, document.OpenAPI, err)
		}
		paths[name] = document.Paths.Len()
	}
	if text := served(t)[openAPI30]; bytes.Contains(text, []byte(`"null"`)) || paths[openAPI] != paths[openAPI30] {
		t.Errorf("%v paths, or a type of 3.1", paths)
	}
}

// Generators for Go make packages of the OpenAPI document that are Go: vet reads their types, which
// takes less than compiling them.
func TestGenerators(t *testing.T) {
	folder, err := os.MkdirTemp(".", "_generated") // of this module, which has what they import
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	write(t, filepath.Join(folder, openAPI), served(t)[openAPI])
	for name, argv := range map[string][]string{
		"oapi-codegen": {"-generate", "types,client", "-package", "client", "-o", "api.go"},
		"ogen":         {"--target", ".", "--package", "api"},
	} {
		t.Run(name, func(t *testing.T) {
			in := filepath.Join(folder, name)
			if err := os.MkdirAll(in, 0o700); err != nil {
				t.Fatal(err)
			}
			generate := append(append([]string{"tool", name}, argv...), "../"+openAPI)
			for _, command := range [][]string{generate, {"vet", "-unmarshal", "."}} {
				run := exec.CommandContext(t.Context(), "go", command...)
				run.Dir = in
				if said, err := run.CombinedOutput(); err != nil {
					t.Fatalf("%v: %v\n%s", command[:2], err, said[max(0, len(said)-2000):])
				}
			}
		})
	}
}
