package command

import "net/http"

// Allowed reports whether a list of origins lets a request open a stream.
func Allowed(list string, r *http.Request) (bool, error) {
	o, err := parseOrigins(list)
	return err == nil && o.Allow(r), err
}
