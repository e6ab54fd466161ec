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

// signing is the name of the secret that links and cursors are signed with.
const signing = "signing"

// SigningSecret returns the secret with which every server on this database signs.
func (s *Store) SigningSecret(ctx context.Context) (_ []byte, err error) {
	ctx, done := s.following(ctx)
	defer done(&err)
	kept := new(secretRow)
	if err := s.follow.NewSelect().Model(kept).Where("name = ?", signing).Scan(ctx); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(kept.Secret)
}

// makeSigningSecret makes the secret if there is none.
func (s *Store) makeSigningSecret(ctx context.Context) (err error) {
	ctx, done := s.writing(ctx)
	defer done(&err)
	made, err := s.write.NewSelect().Model((*secretRow)(nil)).Where("name = ?", signing).Exists(ctx)
	if err != nil || made {
		return err
	}
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	fresh := &secretRow{Name: signing, Secret: base64.StdEncoding.EncodeToString(raw)}
	_, err = s.write.NewInsert().Model(fresh).On("CONFLICT (name) DO NOTHING").Exec(ctx)
	return err
}
