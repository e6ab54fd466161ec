package db

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"piyasa/account/access"
)

type keyRow struct {
	bun.BaseModel `bun:"table:keys"`
	access.Key
}

// ErrNoKey says that no live key has the requested id.
var ErrNoKey = errors.New("no live key has this id")

// Keys returns all keys, oldest first, with revoked ones.
func (s *Store) Keys(ctx context.Context) (_ []*access.Key, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	var rows []*keyRow
	err = s.follow.NewSelect().Model(&rows).Order("created_at", "id").Scan(ctx)
	return records(rows, func(r *keyRow) *access.Key { return &r.Key }), err
}

// CreateKey stores a new key. Running servers accept it at once.
func (s *Store) CreateKey(ctx context.Context, key *access.Key) error {
	return s.changeKeys(ctx, func(tx *numbered) error {
		_, err := tx.NewInsert().Model(&keyRow{Key: *key}).Returning("NULL").Exec(ctx)
		return err
	})
}

// CreateFirstKey stores a key if there has never been another, and reports whether it is stored:
// after an error, which says nothing about that, it can be called again. Concurrent callers wait
// on the feed of keys, so that only one key is made.
func (s *Store) CreateFirstKey(ctx context.Context, key *access.Key) (made bool, err error) {
	err = s.inFeeds(ctx, []string{FeedKeys}, func(ctx context.Context, tx *numbered) error {
		var ids []string
		err := tx.NewSelect().Table("keys").Column("id").Limit(2).Scan(ctx, &ids)
		if made = err == nil && (len(ids) == 0 || slices.Equal(ids, []string{key.ID})); !made || len(ids) > 0 {
			return err
		}
		tx.number(FeedKeys)
		_, err = tx.NewInsert().Model(&keyRow{Key: *key}).Returning("NULL").Exec(ctx)
		return err
	})
	return made && err == nil, err
}

// RevokeKey revokes a live key at the given Unix second and deletes its webhooks, or returns ErrNoKey.
func (s *Store) RevokeKey(ctx context.Context, id string, at int64) error {
	return s.changeKeys(ctx, func(tx *numbered) error {
		if err := s.lockWebhooks(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.NewDelete().Table("webhooks").Where("key_id = ?", id).Exec(ctx); err != nil {
			return err
		}
		return changedOne(tx.NewUpdate().Table("keys").Set("revoked_at = ?", at).
			Where("id = ? AND revoked_at IS NULL", id).Exec(ctx))
	})
}

// RotateKey gives a live key a new secret and returns the key, or ErrNoKey. Only the hash and
// prefix of the secret are stored.
func (s *Store) RotateKey(ctx context.Context, id string, secret func(*access.Key) access.Secret) (*access.Key, error) {
	row := new(keyRow)
	err := s.changeKeys(ctx, func(tx *numbered) error {
		var rows []*keyRow
		if err := tx.NewSelect().Model(&rows).Where("id = ? AND revoked_at IS NULL", id).Scan(ctx); err != nil {
			return err
		}
		if len(rows) == 0 {
			return fmt.Errorf("%w: %s", ErrNoKey, id)
		}
		row = rows[0]
		fresh := secret(&row.Key)
		row.Hash, row.Prefix = fresh.Hash(), fresh.Prefix()
		return changedOne(tx.NewUpdate().Table("keys").Set("hash = ?", row.Hash).Set("prefix = ?", row.Prefix).
			Where("id = ?", id).Exec(ctx))
	})
	return &row.Key, err
}

// changeKeys runs work and numbers the change, so that followers read the keys again.
func (s *Store) changeKeys(ctx context.Context, work func(*numbered) error) error {
	return s.inFeeds(ctx, []string{FeedKeys}, func(_ context.Context, tx *numbered) error {
		tx.number(FeedKeys)
		return work(tx)
	})
}

func changedOne(res interface{ RowsAffected() (int64, error) }, err error) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return ErrNoKey
}
