// Command constant answers every path with the bytes of the file of that name: the
// least that a server on net/http can do.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
)

func main() {
	folder := os.Args[1]
	entries, err := os.ReadDir(folder)
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	for _, e := range entries {
		body, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			log.Fatal(err)
		}
		length := strconv.Itoa(len(body))
		mux.HandleFunc("/"+e.Name(), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", length)
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
