package demo

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// documentLocation returns the location of the nth document of an IPO, from 1, below the folder
// of all documents.
func (o *scheduledIPO) documentLocation(n int) string { return fmt.Sprintf("ipo/%s/%d.pdf", o.id, n) }

// WriteDocuments writes the documents of the IPOs below a folder. Each has one page with its
// title.
func WriteDocuments(folder string) error {
	for _, o := range ipoTable {
		for i := range o.documents {
			file := filepath.Join(folder, filepath.FromSlash(o.documentLocation(i+1)))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(file, page("piyasa demo", fmt.Sprintf("%s, document %d", o.id, i+1),
				"Synthetic, as everything here is."), 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// page returns a PDF of one page with a few lines of text, which must be ASCII without
// parentheses.
func page(lines ...string) []byte {
	text := "BT /F1 18 Tf 28 TL 72 740 Td (" + strings.Join(lines, ") Tj T* (") + ") Tj ET"
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
		fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(text), text),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	}
	var file bytes.Buffer
	file.WriteString("%PDF-1.4\n")
	table := fmt.Sprintf("xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for i, object := range objects {
		table += fmt.Sprintf("%010d 00000 n \n", file.Len())
		fmt.Fprintf(&file, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	at := file.Len()
	fmt.Fprintf(&file, "%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", table, len(objects)+1, at)
	return file.Bytes()
}
