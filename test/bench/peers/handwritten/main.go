// Command handwritten answers three routes of piyasa's REST as directly as Go
// allows: one prepared statement each, whose texts go into the answer as they
// come, or with -memory no statement at all. It knows no keys, limits or scopes.
package main

import (
	"context"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
)

// source appends the answers to a buffer.
type source interface {
	quote(ctx context.Context, to []byte, id string) ([]byte, error)
	candles(ctx context.Context, to []byte, id, from, until string) ([]byte, error)
	disclosures(ctx context.Context, to []byte, symbol string, after position, limit int) ([]byte, error)
}

var errNotFound = errors.New("not found")

// position is the last disclosure of the page before; the zero value is none.
type position struct {
	published string
	index     int
}

func (p position) cursor() string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(p.index) + " " + p.published))
}

func parsePosition(cursor string) (p position, err error) {
	if cursor == "" {
		return p, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return p, err
	}
	index, published, _ := strings.Cut(string(text), " ")
	p.published = published
	p.index, err = strconv.Atoi(index)
	return p, err
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// handle answers with what answer appends.
func handle(answer func(r *http.Request, to []byte) ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		buffer := buffers.Get().(*[]byte)
		defer buffers.Put(buffer)
		body, err := answer(r, (*buffer)[:0])
		*buffer = body
		switch {
		case errors.Is(err, errNotFound):
			http.NotFound(w, r)
			return
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body)
	}
}

func main() {
	inMemory := flag.Bool("memory", false, "answer from memory")
	flag.Parse()
	var s source
	if *inMemory {
		s = newMemory()
	} else {
		database, err := openDatabase(context.Background(), os.Getenv("DATABASE_URL"))
		if err != nil {
			log.Fatal(err)
		}
		s = database
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/quotes/{id}", handle(func(r *http.Request, to []byte) ([]byte, error) {
		return s.quote(r.Context(), to, r.PathValue("id"))
	}))
	mux.HandleFunc("GET /v1/candles/{id}", handle(func(r *http.Request, to []byte) ([]byte, error) {
		query := r.URL.Query()
		return s.candles(r.Context(), to, r.PathValue("id"), query.Get("from"), query.Get("to"))
	}))
	mux.HandleFunc("GET /v1/kap-feed/disclosures", handle(func(r *http.Request, to []byte) ([]byte, error) {
		query := r.URL.Query()
		after, err := parsePosition(query.Get("cursor"))
		if err != nil {
			return to, err
		}
		limit, err := strconv.Atoi(query.Get("limit"))
		if err != nil {
			return to, err
		}
		return s.disclosures(r.Context(), to, query.Get("symbol"), after, limit)
	}))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, mux))
}
