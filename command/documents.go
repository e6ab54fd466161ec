package command

import (
	"os"

	"piyasa/serve/document"
	"piyasa/serve/graphqlhttp"
)

// readDocuments returns the documents in a folder; an empty path means none.
func readDocuments(folder string) (*document.List, error) {
	if folder == "" {
		return nil, nil
	}
	files, err := document.ReadFiles(os.DirFS(folder))
	if err != nil {
		return nil, err
	}
	return graphqlhttp.ListOf(files)
}

// documentsIn follows the documents of a folder, starting from the present list.
func documentsIn(folder string, now *document.List, set func(*document.List)) followed[*document.List] {
	return followed[*document.List]{what: "documents", place: folder, version: now.Version(), set: set,
		read: func() (string, func() (*document.List, error), error) {
			files, err := document.ReadFiles(os.DirFS(folder))
			if err != nil {
				return "", nil, err
			}
			return files.Version(), func() (*document.List, error) { return graphqlhttp.ListOf(files) }, nil
		}}
}
