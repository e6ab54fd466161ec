package db

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/uptrace/bun"

	"piyasa/account/access"
	"piyasa/domain/kap"
)

// WebhooksOfKeys is the claim, as of a sink, to deliver the webhooks of keys, which one process
// holds. No sink in a configuration has a name with spaces.
const WebhooksOfKeys = "webhooks of keys"

// Backups is the claim to make backups by schedule, which one process holds.
const Backups = "backups by schedule"

type webhookRow struct {
	bun.BaseModel `bun:"table:webhooks"`
	kap.StoredWebhook
}

// webhooksLock is the key of the advisory lock under which webhooks change: without it, two
// transactions that change several rows could each wait for the other.
const webhooksLock = serversLock + 1

// AddWebhook implements kap.WebhookStore.
func (s *Store) AddWebhook(ctx context.Context, w *kap.StoredWebhook, most int) (added bool, err error) {
	err = s.writingWebhooks(ctx, func(ctx context.Context, tx bun.Tx) error {
		n, err := tx.NewSelect().Model((*webhookRow)(nil)).Where("key_id = ?", w.KeyID).Count(ctx)
		if err != nil || n >= int64(most) {
			return err
		}
		added = true
		_, err = tx.NewInsert().Model(&webhookRow{StoredWebhook: *w}).Returning("NULL").Exec(ctx)
		return err
	})
	return added && err == nil, err
}

func (s *Store) writingWebhooks(ctx context.Context, do func(context.Context, bun.Tx) error) (err error) {
	ctx, done := s.writing(ctx)
	defer func() {
		done(&err)
		unavailable(&err)
	}()
	return s.write.RunInTx(ctx, &sql.TxOptions{}, func(ctx context.Context, tx bun.Tx) error {
		if err := s.lockWebhooks(ctx, tx); err != nil {
			return err
		}
		return do(ctx, tx)
	})
}

func (s *Store) lockWebhooks(ctx context.Context, tx bun.IDB) error {
	if !s.isPostgres() { // SQLite has one writer at a time
		return nil
	}
	_, err := tx.NewRaw("SELECT pg_advisory_xact_lock(?)", webhooksLock).Exec(ctx)
	return err
}

// WebhooksOf implements kap.WebhookStore. It reads from the primary, so that a key sees its new
// webhooks at once.
func (s *Store) WebhooksOf(ctx context.Context, key string) (_ []*kap.StoredWebhook, err error) {
	ctx, done := s.writing(ctx)
	defer func() {
		done(&err)
		unavailable(&err)
	}()
	var rows []*webhookRow
	err = s.written().NewSelect().Model(&rows).Where("key_id = ?", key).Order("created_at", "id").Scan(ctx)
	return records(rows, func(r *webhookRow) *kap.StoredWebhook { return &r.StoredWebhook }), err
}

// DeleteWebhook implements kap.WebhookStore.
func (s *Store) DeleteWebhook(ctx context.Context, key, id string) (deleted bool, err error) {
	err = s.writingWebhooks(ctx, func(ctx context.Context, tx bun.Tx) error {
		res, err := tx.NewDelete().Table("webhooks").Where("id = ? AND key_id = ?", id, key).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		deleted = n > 0
		return err
	})
	return deleted, err
}

// DeliversWebhooks implements kap.WebhookStore.
func (s *Store) DeliversWebhooks(ctx context.Context) (claimed bool, err error) {
	ctx, done := s.writing(ctx)
	defer func() {
		done(&err)
		unavailable(&err)
	}()
	err = s.written().NewRaw("SELECT EXISTS (SELECT 1 FROM collectors WHERE source = ? AND until > ?)",
		claimedSink+WebhooksOfKeys, s.micros()).Scan(ctx, &claimed)
	return claimed, err
}

// KeyWebhook is a webhook with the key that registered it.
type KeyWebhook struct {
	kap.StoredWebhook
	Key access.Key
}

// LiveWebhooks returns the webhooks of all keys that are not revoked, read from the primary.
func (s *Store) LiveWebhooks(ctx context.Context) (_ []*KeyWebhook, err error) {
	ctx, done := s.writing(ctx)
	defer func() {
		done(&err)
		unavailable(&err)
	}()
	from := s.written()
	var hooks []*webhookRow
	if err := from.NewSelect().Model(&hooks).Order("id").Scan(ctx); err != nil || len(hooks) == 0 {
		return nil, err
	}
	var keys []*keyRow
	if err := from.NewSelect().Model(&keys).Where("revoked_at IS NULL AND id IN (SELECT key_id FROM webhooks)").Scan(ctx); err != nil {
		return nil, err
	}
	byID := make(map[string]*access.Key, len(keys))
	for _, k := range keys {
		byID[k.ID] = &k.Key
	}
	var all []*KeyWebhook
	for _, h := range hooks {
		if key := byID[h.KeyID]; key != nil {
			all = append(all, &KeyWebhook{h.StoredWebhook, *key})
		}
	}
	return all, nil
}

// KeepWebhooks stores the states of webhooks by their ids, except deleted ones, or returns
// ErrNotHeld if the holder no longer has the claim.
func (s *Store) KeepWebhooks(ctx context.Context, holder string, states map[string]string) error {
	return s.writingWebhooks(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := holds(ctx, tx, WebhooksOfKeys, holder); err != nil {
			return err
		}
		for id, state := range states {
			if _, err := tx.NewRaw("UPDATE webhooks SET state = ? WHERE id = ?", state, id).Exec(ctx); err != nil {
				return fmt.Errorf("webhook %s: %w", id, err)
			}
		}
		return nil
	})
}
