package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"piyasa/account/access"
	"piyasa/internal/value"
)

type keysCommand struct {
	Create createKeyCommand `cmd:"" help:"Create a key and print it once."`
	List   listKeysCommand  `cmd:"" help:"List the keys; secrets are not stored."`
	Revoke revokeKeyCommand `cmd:"" help:"Revoke a key; running servers reject it within seconds."`
	Rotate rotateKeyCommand `cmd:"" help:"Give a key a new secret with the same scopes, and print it once."`
}

type createKeyCommand struct {
	database
	Name   string `help:"A label for the key." required:"" placeholder:"NAME"`
	Plan   string `help:"Plan that limits the key." required:"" values:"${plans}" placeholder:"PLAN"`
	Scopes string `help:"Scopes, separated by commas; all means every current scope but operate." required:"" values:"all,${scopes}" list:"" placeholder:"LIST"`
	Test   bool   `help:"Make a test key."`
	Plans  string `help:"JSON file of plans that override the built-in ones." env:"PIYASA_PLANS" placeholder:"FILE"`
	JSON   bool   `name:"json" help:"Print one JSON object."`
}

// Help lists the scopes and plans of keys below the description of the command.
func (createKeyCommand) Help() string {
	var b strings.Builder
	b.WriteString("Plans, besides those of --plans:\n\n")
	plans := access.ShippedPlans()
	for _, name := range slices.SortedFunc(maps.Keys(plans), func(a, b string) int {
		return cmp.Or(cmp.Compare(plans[a].Bucket, plans[b].Bucket), strings.Compare(a, b))
	}) {
		p := plans[name]
		if name == "internal" {
			fmt.Fprintf(&b, "\t%-12s no limits\n", name)
			continue
		}
		quota := "no quota"
		if p.UnitsPerMonth > 0 {
			quota = fmt.Sprintf("%d request units a month", p.UnitsPerMonth)
		}
		fmt.Fprintf(&b, "\t%-12s %d requests at once, %g more each second, %s\n", name, p.Bucket, p.RefillPerSec, quota)
	}
	b.WriteString("\nScopes:\n\n")
	for _, scope := range access.Scopes {
		fmt.Fprintf(&b, "\t%-14s %s\n", scope, scope.Grants())
	}
	b.WriteString("\tall            every scope above; later ones are not added to the key\n")
	fmt.Fprintf(&b, "\t%-14s %s\n", access.Operate, access.Operate.Grants())
	fmt.Fprintf(&b, "\t%-14s what any key opens, and no more\n", access.Nothing)
	return b.String()
}

// Run creates the key.
func (c *createKeyCommand) Run(ctx context.Context, s streams) error {
	plans, err := readPlans(c.Plans)
	if err != nil {
		return usageError{fmt.Errorf("PIYASA_PLANS: %w", err)}
	}
	draft := access.Draft{Name: c.Name, Plan: c.Plan, Scopes: access.ParseScopes(c.Scopes), Test: c.Test}
	key, secret, err := draft.Key(plans, time.Now())
	if err != nil {
		return usageError{fmt.Errorf("--%w", err)}
	}
	store, err := c.open(ctx, s)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := store.CreateKey(ctx, key); err != nil {
		return fmt.Errorf("store the key: %w", err)
	}
	for _, scope := range key.Scopes {
		if !scope.Known() && scope != access.Nothing {
			fmt.Fprintf(s.err, "piyasa: the scope %q grants nothing; the scopes are %s\n",
				string(scope), value.ListOf(access.Grantable))
		}
	}
	return printSecret(s, key, secret, c.JSON)
}

// printSecret prints a secret. It can be shown only this once.
func printSecret(s streams, key *access.Key, secret access.Secret, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(s.out).Encode(struct {
			ID     string         `json:"id"`
			Key    access.Secret  `json:"key"`
			Name   string         `json:"name"`
			Plan   string         `json:"plan"`
			Scopes []access.Scope `json:"scopes"`
			Test   bool           `json:"test"`
		}{key.ID, secret, key.Name, key.Plan, key.Scopes, key.Test})
	}
	_, err := fmt.Fprintf(s.out, "%s\n\nThis is the only time the key is shown. Its id is %s (plan %s, scopes %s).\n",
		secret, key.ID, key.Plan, value.ListOf(key.Scopes))
	return err
}

type listKeysCommand struct {
	database
	JSON bool `name:"json" help:"Print one JSON list."`
}

// Run lists the keys, oldest first.
func (c *listKeysCommand) Run(ctx context.Context, s streams) error {
	store, err := c.openToRead(ctx, s)
	if err != nil {
		return err
	}
	defer store.Close()
	keys, err := store.Keys(ctx)
	if err != nil {
		return fmt.Errorf("read the keys: %w", err)
	}
	if c.JSON {
		return json.NewEncoder(s.out).Encode(keys)
	}
	t := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tNAME\tKEY\tPLAN\tSTATE\tCREATED\tSCOPES")
	for _, k := range keys {
		state := "live"
		if k.RevokedAt != nil {
			state = "revoked " + day(*k.RevokedAt)
		}
		fmt.Fprintf(t, "%s\t%s\t%s…\t%s\t%s\t%s\t%s\n",
			k.ID, k.Name, k.Prefix, k.Plan, state, day(k.CreatedAt), value.ListOf(k.Scopes))
	}
	return t.Flush()
}

func day(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.DateOnly) }

type revokeKeyCommand struct {
	database
	ID string `arg:"" help:"Id of the key, as list shows it."`
}

// Run revokes the key.
func (c *revokeKeyCommand) Run(ctx context.Context, s streams) error {
	store, err := c.open(ctx, s)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := store.RevokeKey(ctx, c.ID, time.Now().Unix()); err != nil {
		return fmt.Errorf("revoke %s: %w", c.ID, err)
	}
	_, err = fmt.Fprintln(s.out, "revoked", c.ID)
	return err
}

type rotateKeyCommand struct {
	database
	ID   string `arg:"" help:"Id of the key, as list shows it."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// Run gives the key a new secret; the old one stops working.
func (c *rotateKeyCommand) Run(ctx context.Context, s streams) error {
	store, err := c.open(ctx, s)
	if err != nil {
		return err
	}
	defer store.Close()
	var secret access.Secret
	key, err := store.RotateKey(ctx, c.ID, func(k *access.Key) access.Secret {
		secret = access.NewSecret(k.Test)
		return secret
	})
	if err != nil {
		return fmt.Errorf("rotate %s: %w", c.ID, err)
	}
	return printSecret(s, key, secret, c.JSON)
}
