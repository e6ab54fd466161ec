package contract

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

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

// Generators for Go make packages of the OpenAPI document that are Go: vet reads their types, which
// takes less than compiling them.
func TestGenerators(t *testing.T) {
	folder, err := os.MkdirTemp(".", "_generated") // of this module, which has what they import
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	document := filepath.Join(folder, openAPI)
	write(t, document, served(t)[openAPI])
	for name, argv := range map[string][]string{
		"oapi-codegen": {"-generate", "types,client", "-package", "client", "-o", filepath.Join(folder, "oapi-codegen", "client.go"), document},
		"ogen":         {"--target", filepath.Join(folder, "ogen"), "--package", "api", document},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.MkdirAll(filepath.Join(folder, name), 0o700); err != nil {
				t.Fatal(err)
			}
			for _, command := range [][]string{append([]string{"tool", name}, argv...), {"vet", "-unmarshal", "./" + filepath.Join(folder, name)}} {
				if said, err := exec.CommandContext(t.Context(), "go", command...).CombinedOutput(); err != nil {
					t.Fatalf("%v: %v\n%s", command[:2], err, said[max(0, len(said)-2000):])
				}
			}
		})
	}
}
