package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/jackc/pgx/v5"
)

// versions are what was measured, and on what.
type versions struct {
	piyasa, postgres, processor string
	modules                     map[string]string // of peers in Go
	packages                    map[string]string // of peers in JavaScript
}

// peerModules are what the peers in Go are made of.
var peerModules = []string{"github.com/centrifugal/centrifuge", "github.com/nats-io/nats-server/v2", "github.com/gorilla/websocket",
	"github.com/jackc/pgx/v5"}

func (r *rig) versions(ctx context.Context) (v versions, err error) {
	output, err := r.run(ctx, "version")
	if err != nil {
		return v, err
	}
	v.piyasa = strings.TrimSpace(string(output))
	connection, err := pgx.Connect(ctx, r.postgres)
	if err != nil {
		return v, err
	}
	defer connection.Close(ctx)
	if err := connection.QueryRow(ctx, "SHOW server_version").Scan(&v.postgres); err != nil {
		return v, err
	}
	v.postgres, _, _ = strings.Cut(v.postgres, " ")
	if v.processor, err = processor(); err != nil {
		return v, err
	}
	v.modules = map[string]string{}
	for _, module := range peerModules {
		list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Version}}", module)
		list.Dir = r.peers
		output, err := list.Output()
		if err != nil {
			return v, fmt.Errorf("the version of %s: %w", module, err)
		}
		v.modules[module] = strings.TrimSpace(string(output))
	}
	output, err = os.ReadFile(filepath.Join(r.peers, "js", "package.json"))
	if err != nil {
		return v, err
	}
	var manifest struct{ Dependencies map[string]string }
	if err := json.Unmarshal(output, &manifest); err != nil {
		return v, err
	}
	v.packages = manifest.Dependencies
	return v, nil
}

// processor states the model as Linux does.
func processor() (string, error) {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if name, model, found := strings.Cut(line, ":"); found && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(model), nil
		}
	}
	return runtime.GOARCH, nil
}
