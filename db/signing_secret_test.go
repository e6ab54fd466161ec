package db_test

import (
	"bytes"
	"testing"

	"piyasa/db/dbtest"
)

// Every server of a database signs with one secret, also when all of them ask
// for the first time at once; another database has another.
func TestSigningSecret(t *testing.T) {
	var others [][]byte
	dbtest.Each(t, func(t *testing.T, url string) {
		secrets := make(chan []byte)
		for range 4 {
			s := open(t, url)
			go func() {
				secret, err := s.SigningSecret(background)
				if err != nil {
					t.Error(err)
				}
				secrets <- secret
			}()
		}
		first := <-secrets
		for range 3 {
			if secret := <-secrets; !bytes.Equal(secret, first) {
				t.Error("two secrets")
			}
		}
		if again, err := open(t, url).SigningSecret(background); err != nil || !bytes.Equal(again, first) || len(first) != 32 {
			t.Errorf("later: %d bytes, %v", len(again), err)
		}
		for _, other := range others {
			if bytes.Equal(other, first) {
				t.Error("two databases have one secret")
			}
		}
		others = append(others, first)
	})
}
