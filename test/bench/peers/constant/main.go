// Command constant answers every path with the bytes of the file of that name: the
// least that a server on net/http can do. With -headers it adds those that lie beside
// the file.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	withHeaders := flag.Bool("headers", false, "send the headers of FILE.headers, too")
	flag.Parse()
	folder := flag.Arg(0)
	entries, err := os.ReadDir(folder)
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if strings.HasSuffix(path, ".headers") {
			continue
		}
		body, err := os.ReadFile(path)
		if err != nil {
			log.Fatal(err)
		}
		header := http.Header{"Content-Type": {"application/json"}, "Content-Length": {strconv.Itoa(len(body))}}
		if *withHeaders {
			if err := read(path+".headers", header); err != nil {
				log.Fatal(err)
			}
		}
		mux.HandleFunc("/"+e.Name(), func(w http.ResponseWriter, _ *http.Request) {
			h := w.Header()
			for name, values := range header {
				h[name] = values
			}
			w.Write(body)
		})
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, mux))
}

// read adds the headers that a file lists.
func read(path string, to http.Header) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines, err := textproto.NewReader(bufio.NewReader(strings.NewReader(string(text) + "\r\n"))).ReadMIMEHeader()
	for name, values := range lines {
		to[name] = values
	}
	return err
}
