package command_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"piyasa/demo"
	"piyasa/test/fixture/need"
)

// LibreOffice Calc opens the address of a link as a table whose figures are numbers and whose days are dates; instants stay text. It
// takes long to install, so only the whole of the tests has it.
func TestLibreOffice(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all installs LibreOffice")
	}
	t.Parallel()
	lacks(t, "there is no LibreOffice Calc: release/scripts/setup all installs it", "soffice", "--version")
	e := examples{base: startDemo(t)}
	// Separator, quote, UTF-8, first line, Standard, language, and how figures are read.
	const english, turkish = "44,34,76,1,,1033,false,true", "59,34,76,1,,1055,false,true"
	for address, date := range map[string]string{
		"/v1/eod/bist:DMOST?from=2026-03-01&to=2026-03-17&":                   "date",
		"/v1/candles?ids=bist:DMOST,fx:EURUSD&from=2026-03-09&to=2026-03-13&": "",
	} {
		plain := e.link(t, address+"format=csv")
		lines := linesOf(t, plain)
		for form, got := range map[string][][]cell{
			"format=csv": calc(t, plain, english), "dialect=excel-tr": calc(t, e.link(t, address+"dialect=excel-tr"), turkish),
		} {
			if len(lines) < 3 || len(got) != len(lines) {
				t.Errorf("%s%s has %d lines, want %d: %v", address, form, len(got), len(lines), got)
				continue
			}
			for i, line := range lines {
				for j, text := range line {
					want, name := cell{Type: "string", Text: text}, lines[0][j]
					number, err := strconv.ParseFloat(text, 64)
					switch {
					case text == "":
						want = cell{}
					case name == date && i > 0:
						want = cell{Type: "date", Date: text}
					case err == nil:
						want = cell{Type: "float", Number: strconv.FormatFloat(number, 'f', -1, 64)}
					}
					seen := got[i][j]
					if want.Text == "" {
						seen.Text = "" // as the sheet formats it
					}
					if seen != want {
						t.Errorf("%s%s: %s of line %d is %+v, want %+v", address, form, name, i, got[i][j], want)
					}
				}
			}
		}
	}
}

// linesOf returns the CSV at an address.
func linesOf(t *testing.T, address string) [][]string {
	t.Helper()
	res, err := http.Get(address)
	need.NoError(t, err)
	defer res.Body.Close()
	lines, err := csv.NewReader(res.Body).ReadAll()
	need.NoError(t, err)
	return lines
}

// link makes a link to an answer.
func (e examples) link(t *testing.T, address string) string {
	t.Helper()
	body, err := json.Marshal(map[string]string{"address": address})
	need.NoError(t, err)
	r, err := http.NewRequestWithContext(t.Context(), "POST", e.base+"/v1/links", strings.NewReader(string(body)))
	need.NoError(t, err)
	r.Header.Set("X-API-Key", string(demo.Secret))
	res, err := http.DefaultClient.Do(r)
	need.NoError(t, err)
	defer res.Body.Close()
	var made struct{ Link string }
	if err := json.NewDecoder(res.Body).Decode(&made); err != nil || made.Link == "" {
		t.Fatalf("%s: %d %v", address, res.StatusCode, err)
	}
	return made.Link
}

// cell is a cell of OpenDocument.
type cell struct {
	Type   string `xml:"value-type,attr"`
	Number string `xml:"value,attr"`
	Date   string `xml:"date-value,attr"`
	Text   string `xml:"p"`
}

// calc opens an address with LibreOffice Calc and returns its lines.
func calc(t *testing.T, address, reading string) (rows [][]cell) {
	t.Helper()
	folder := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 4*deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, "soffice", "-env:UserInstallation=file://"+folder+"/profile", "--headless",
		"--infilter=Text - txt - csv (StarCalc):"+reading, "--convert-to", "fods", "--outdir", folder, address)
	cmd.SysProcAttr, cmd.WaitDelay = &syscall.SysProcAttr{Setpgid: true}, deadline
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // soffice is a script
	said, err := cmd.CombinedOutput()
	made, _ := filepath.Glob(folder + "/*.fods")
	if err != nil || len(made) != 1 {
		t.Fatalf("%s: %v %q\n%s", address, err, made, said)
	}
	text, err := os.ReadFile(made[0])
	need.NoError(t, err)
	var document struct {
		Rows []struct {
			Cells []struct {
				cell
				Repeated int `xml:"number-columns-repeated,attr"`
			} `xml:"table-cell"`
		} `xml:"body>spreadsheet>table>table-row"`
	}
	need.NoError(t, xml.Unmarshal(text, &document))
	for _, row := range document.Rows {
		var cells []cell
		for _, c := range row.Cells {
			for range max(c.Repeated, 1) {
				cells = append(cells, c.cell)
			}
		}
		rows = append(rows, cells)
	}
	return rows
}
