package db_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

func key(id string, createdAt int64, scopes ...access.Scope) *access.Key {
	secret := access.NewSecret(false)
	return &access.Key{
		ID: id, Name: "Müşteri'nin \"anahtarı\"", Prefix: secret.Prefix(), Hash: secret.Hash(), Plan: "pro",
		Scopes: scopes, CreatedAt: createdAt,
	}
}

func keys(t rapid.TB, s *db.Store) []*access.Key {
	t.Helper()
	return must[[]*access.Key](t)(s.Keys(background))
}

// Keys returns listed oldest first and come back as they were, with scopes that
// nobody knows; the secret is nowhere.
func TestKeysAreKept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		secret := access.NewSecret(true)
		young := &access.Key{ID: "key_a", Name: "b", Prefix: secret.Prefix(), Hash: secret.Hash(), Plan: "test", Scopes: []access.Scope{},
			Test: true, CreatedAt: 1 << 40}
		old, twin := key("key_c", 5, access.FX, "future:scope", "ğ,\"x"), key("key_b", 5, access.Scopes...)
		for i, k := range []*access.Key{young, old, twin} {
			need.NoError(t, s.CreateKey(t.Context(), k))
			if head := heads(t, s)[db.FeedKeys]; head != int64(i)+1 {
				t.Errorf("head %d after %d keys", head, i+1)
			}
		}
		same(t, "keys", keys(t, s), []*access.Key{twin, old, young})
		var found int
		if err := dbtest.Raw(t, url).QueryRow("SELECT count(*) FROM keys WHERE hash LIKE '%' || $1 || '%' OR prefix = $1",
			string(secret)).Scan(&found); err != nil || found > 0 {
			t.Errorf("the secret is in %d rows (%v)", found, err)
		}
	})
}

func TestKeyIDsAndSecretsAreUnique(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, first := open(t, url), key("key_a", 1, access.FX)
		need.NoError(t, s.CreateKey(t.Context(), first))
		sameSecret := key("key_b", 1)
		sameSecret.Hash = first.Hash
		for _, k := range []*access.Key{key("key_a", 2), sameSecret} {
			if err := s.CreateKey(t.Context(), k); err == nil {
				t.Errorf("stored %s", encoded(k))
			}
		}
		same(t, "keys", keys(t, s), []*access.Key{first})
		if head := heads(t, s)[db.FeedKeys]; head != 1 {
			t.Errorf("head %d after one key", head)
		}
	})
}

func TestRevokeKey(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, gone, stays := open(t, url), key("key_a", 1, access.FX), key("key_b", 2, access.FX)
		for _, k := range []*access.Key{gone, stays} {
			need.NoError(t, s.CreateKey(t.Context(), k))
		}
		need.NoError(t, s.RevokeKey(t.Context(), "key_a", 1<<33))
		gone.RevokedAt = new(int64(1 << 33))
		for _, id := range []string{"key_a", "key_z", ""} {
			if err := s.RevokeKey(t.Context(), id, 7); !errors.Is(err, db.ErrNoKey) {
				t.Errorf("revoking %q: %v", id, err)
			}
		}
		same(t, "keys", keys(t, s), []*access.Key{gone, stays})
		if head := heads(t, s)[db.FeedKeys]; head != 3 {
			t.Errorf("head %d after three changes", head)
		}
	})
}

func TestRotateKey(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, k := open(t, url), key("key_a", 1, access.FX, "future:scope")
		need.NoError(t, s.CreateKey(t.Context(), k))
		fresh := access.NewSecret(false)
		got, err := s.RotateKey(t.Context(), "key_a", func(stored *access.Key) access.Secret {
			same(t, "the key to rotate", stored, k)
			return fresh
		})
		need.NoError(t, err)
		k.Hash, k.Prefix = fresh.Hash(), fresh.Prefix()
		same(t, "returned", got, k)
		same(t, "stored", keys(t, s), []*access.Key{k})

		need.NoError(t, s.RevokeKey(t.Context(), "key_a", 9))
		for _, id := range []string{"key_a", "key_z"} {
			_, err := s.RotateKey(t.Context(), id, func(*access.Key) access.Secret {
				t.Errorf("a secret for %s", id)
				return ""
			})
			if !errors.Is(err, db.ErrNoKey) || !strings.Contains(err.Error(), id) {
				t.Errorf("rotating %s: %v", id, err)
			}
		}
	})
}

// Keys change while quotes are stored: other feed, other rows.
func TestKeysWakeFollowers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		need.NoError(t, s.CreateKey(t.Context(), key("key_a", 1)))
		woken(t, s, patience)
		if err := s.RevokeKey(t.Context(), "key_z", 1); err == nil {
			t.Error("revoked")
		}
		asleep(t, s)
	})
}
