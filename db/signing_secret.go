package db

import (
	"context"
	"crypto/rand"
	"encoding/base64"

	"github.com/uptrace/bun"
)

type secretRow struct {
	bun.BaseModel `bun:"table:secrets"`
	Name          string
	Secret        string
}

// SigningSecret returns what every server on this database signs with; it is made
// when the first one asks.
func (s *Store) SigningSecret(ctx context.Context) (_ []byte, err error) {
	ctx, done := s.writing(ctx)
	defer done(&err)
	const name = "signing"
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	fresh := &secretRow{Name: name, Secret: base64.StdEncoding.EncodeToString(raw)}
	if _, err := s.write.NewInsert().Model(fresh).On("CONFLICT (name) DO NOTHING").Exec(ctx); err != nil {
		return nil, err
	}
	kept := new(secretRow)
	if err := s.write.NewSelect().Model(kept).Where("name = ?", name).Scan(ctx); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(kept.Secret)
}
