package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
)

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// count returns the figures of the checkout in this folder, of Go in lines, with comments and blank
// lines. The packages of bin/piyasa are the product; code that is neither product nor test nor
// generated is tooling.
func count() ([]figure, error) {
	product, err := foldersOfProduct()
	if err != nil {
		return nil, err
	}
	list, err := exec.Command("git", "ls-files").Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	packages, err := exec.Command("go", "list", "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var lines struct{ product, tests, tooling, generated, long float64 }
	top := map[string]bool{}
	for name := range strings.Lines(string(list)) {
		name = strings.TrimSpace(name)
		if folder, _, below := strings.Cut(name, "/"); below && !strings.HasPrefix(folder, ".") {
			top[folder] = true
		}
		if !slices.Contains([]string{".go", ".ts", ".tsx"}, path.Ext(name)) {
			continue
		}
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, and not committed yet
		}
		if err != nil {
			return nil, err
		}
		isTest, isGo := strings.HasSuffix(name, "_test.go"), path.Ext(name) == ".go"
		n := float64(bytes.Count(text, []byte("\n")))
		switch {
		case generated.Match(text[:min(len(text), 500)]):
			lines.generated += n
			continue
		case !isGo:
		case isTest:
			lines.tests += n
		case product[path.Dir(name)]:
			lines.product += n
		default:
			lines.tooling += n
		}
		lines.long += float64(len(longLines(text)))
	}
	figures := []figure{
		{"lines of the product", lines.product, ""}, {"lines of tests", lines.tests, ""},
		{"lines of tooling", lines.tooling, ""}, {"generated lines", lines.generated, ""},
		{"packages", float64(bytes.Count(packages, []byte("\n"))), ""}, {"folders at the top", float64(len(top)), ""},
		{"lines above 140 characters", lines.long, ""},
	}
	if binary, err := os.Stat("bin/piyasa"); err == nil {
		figures = append(figures, figure{"size of bin/piyasa", float64(binary.Size()) / 1e6, "MB"})
	}
	return figures, nil
}

// foldersOfProduct returns the folders of the packages in bin/piyasa.
func foldersOfProduct() (map[string]bool, error) {
	out, err := exec.Command("go", "list", "-deps", "-json=ImportPath,Module", ".").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	folders := map[string]bool{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath string
			Module     *struct {
				Path string
				Main bool
			}
		}
		if err := dec.Decode(&p); err == io.EOF {
			return folders, nil
		} else if err != nil {
			return nil, err
		}
		if p.Module != nil && p.Module.Main {
			folders[path.Clean("./"+strings.TrimPrefix(p.ImportPath, p.Module.Path))] = true
		}
	}
}
