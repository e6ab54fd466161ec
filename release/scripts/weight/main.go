// Command weight counts how much a contributor to piyasa has to know and to wait for, and prints
// each figure beside its budget in CONTRIBUTING.md. It fails only if it cannot count.
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// place is the file with the budgets: a table whose rows begin with the name of a figure.
const place = "CONTRIBUTING.md"

// figure is one row of the output.
type figure struct {
	name  string
	value float64
	unit  string
}

func main() {
	measure := flag.Bool("compile", false, "build bin/piyasa without any cache, and record what that takes")
	flag.Parse()
	err := run(*measure)
	if err != nil {
		fmt.Fprintln(os.Stderr, "weight:", err)
		os.Exit(1)
	}
}

func run(measure bool) error {
	if measure {
		if err := compile(); err != nil {
			return err
		}
	}
	figures, err := count()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(place)
	if err != nil {
		return err
	}
	budget := budgets(string(text))
	fmt.Printf("%-34s %10s %10s\n", "", "is", "budget")
	for _, f := range figures {
		limit, ok := budget[f.name]
		if !ok {
			return fmt.Errorf("%s states no budget for %q", place, f.name)
		}
		over := ""
		if f.value > limit {
			over = "  over"
		}
		fmt.Printf("%-34s %10s %10s%s\n", f.name, format(f.value, f.unit), format(limit, f.unit), over)
	}
	timings, err := slowest()
	if err != nil {
		return err
	}
	fmt.Print(timings)
	return nil
}

// budgets reads the rows "| name | budget | …" of a page.
func budgets(page string) map[string]float64 {
	out := map[string]float64{}
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 4 {
			continue
		}
		number, _, _ := strings.Cut(strings.TrimSpace(cells[2]), " ")
		if value, err := strconv.ParseFloat(strings.ReplaceAll(number, ",", ""), 64); err == nil {
			out[strings.TrimSpace(cells[1])] = value
		}
	}
	return out
}

// format writes a figure with separated thousands, and with one more digit if its unit needs it.
func format(value float64, unit string) string {
	digits := 0
	if unit == "MB" {
		digits = 1
	}
	text := strconv.FormatFloat(value, 'f', digits, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if unit != "" {
		whole += " " + unit
	}
	return whole
}
