package command

import (
	"context"
	"log/slog"
	"os"
	"time"

	"piyasa/document"
	"piyasa/graphqlhttp"
)

// readDocuments returns the list of the documents in a folder; there may be none.
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

// documentCheck is how often a server looks whether its documents have changed.
const documentCheck = 5 * time.Second

// followDocuments hands the list of a folder to set whenever its files are others than
// those of the list now, until ctx ends. Files with mistakes change nothing, and the log
// says so once.
func followDocuments(ctx context.Context, folder string, now *document.List, set func(*document.List)) {
	tick := time.NewTicker(documentCheck)
	defer tick.Stop()
	for last, unreadable := now.Version(), ""; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		files, err := document.ReadFiles(os.DirFS(folder))
		if err != nil {
			if err.Error() != unreadable {
				unreadable = err.Error()
				slog.Error("the folder of documents cannot be read; the documents stay as they were", "folder", folder, "error", err)
			}
			continue
		}
		if unreadable = ""; files.Version() == last {
			continue
		}
		last = files.Version()
		list, err := graphqlhttp.ListOf(files)
		if err != nil {
			slog.Error("the folder of documents has changed and cannot be used; the documents stay as they were", "folder", folder, "error", err)
			continue
		}
		set(list)
		slog.Info("the documents have changed", "folder", folder, "documents", list.Len())
	}
}
