package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"reflect"
	"slices"

	"github.com/uptrace/bun"

	"piyasa/domain/kap"
	"piyasa/internal/attachment"
	"piyasa/internal/value"
)

type disclosureRow struct {
	bun.BaseModel `bun:"table:disclosures"`
	kap.Stored
	CompletedSeq *int64 // number of its completion, with which streams send it again
	FilledSeq    *int64 // number of its completion if streams do not send it; a disclosure is completed once
	BodyFormat   *string
	HereFor      int64 `bun:",scanonly"` // set by alongFeed
}

// codeRow finds a disclosure by one of its codes.
type codeRow struct {
	bun.BaseModel   `bun:"table:disclosure_codes"`
	Code            string
	EffectiveAt     value.Instant
	DisclosureIndex int
	Added           bool // not among the codes of its topics
	Type            kap.Type
}

// codesOf returns the rows of a disclosure's codes, each code once.
func codesOf(d *kap.Disclosure, effectiveAt value.Instant) (rows []codeRow) {
	for i, code := range d.Symbols {
		if slices.Index(d.Symbols, code) == i {
			rows = append(rows, codeRow{Code: code, EffectiveAt: effectiveAt, DisclosureIndex: d.DisclosureIndex,
				Added: i >= len(d.Symbols)-d.AddedSymbols, Type: d.Type})
		}
	}
	return rows
}

// partsRow is the parts that only the page of a disclosure shows.
type partsRow struct {
	bun.BaseModel   `bun:"table:disclosure_parts"`
	DisclosureIndex int
	Attachments     []attachment.Document
	Facts           []*kap.Fact
	Contexts        []*kap.Context
	FileType        *string
	Content         *string // the text as it came
}

// record makes the record of a disclosure from its row and parts; parts may be nil.
func (r *disclosureRow) record(parts *partsRow) *kap.Record {
	rec := &kap.Record{Disclosure: r.Disclosure, Seq: r.newest()}
	if parts == nil {
		return rec
	}
	rec.Attachments, rec.Facts, rec.Contexts = parts.Attachments, parts.Facts, parts.Contexts
	if r.BodyFormat != nil && parts.FileType != nil {
		rec.Body = &kap.Content{SourceFormat: *r.BodyFormat, FileType: *parts.FileType}
		if parts.Content != nil {
			rec.Body.Content = json.RawMessage(*parts.Content)
		}
	}
	return rec
}

// set writes a record to the row and returns its parts.
func (r *disclosureRow) set(rec *kap.Record) *partsRow {
	r.Disclosure = rec.Disclosure
	parts := &partsRow{DisclosureIndex: rec.DisclosureIndex, Attachments: rec.Attachments, Facts: rec.Facts, Contexts: rec.Contexts}
	if rec.Body != nil {
		content := string(rec.Body.Content)
		r.BodyFormat, parts.FileType, parts.Content = &rec.Body.SourceFormat, &rec.Body.FileType, &content
	}
	return parts
}

// storeDisclosures stores new disclosures in the order of their lines, and completes stored
// ones. Streams send the new ones, and completed ones that lists now show differently, unless
// they are back-filled.
func storeDisclosures(ctx context.Context, tx *numbered, w writing, entries []entry[kap.Record]) error {
	rows, records, err := storedDisclosures(ctx, tx, entries)
	if err != nil {
		return err
	}
	var added, touched []int // disclosure numbers
	for _, e := range entries {
		index := e.record.DisclosureIndex
		old := records[index]
		if old == nil {
			rows[index] = &disclosureRow{Stored: kap.Stored{Seq: tx.number(FeedDisclosures), Live: !w.backFill}}
			records[index] = e.record
			added = append(added, index)
			*e.outcome = Outcome{Result: Stored}
			continue
		}
		merged, changed, wrong := old.Merge(e.record)
		switch {
		case wrong != nil:
			*e.outcome = Outcome{Result: Refused, Why: wrong}
		case !changed:
			*e.outcome = Outcome{Result: Unchanged}
		default:
			row := rows[index]
			isNew := row.DisclosureIndex == 0 // not stored yet
			switch {
			case isNew || reflect.DeepEqual(old.Disclosure, merged.Disclosure):
			case row.Live && !w.backFill:
				row.CompletedSeq = new(tx.number(FeedDisclosures))
			default:
				row.FilledSeq = new(tx.number(FeedDisclosures))
			}
			records[index] = merged
			touched = append(touched, index)
			*e.outcome = Outcome{Result: Stored}
		}
	}
	if err := setEffective(ctx, tx, added, rows, records); err != nil {
		return err
	}
	var disclosures []*disclosureRow
	var codes []codeRow
	var parts []*partsRow
	isAdded := make(map[int]bool, len(added))
	for _, index := range added {
		isAdded[index] = true
		codes = append(codes, codesOf(&records[index].Disclosure, rows[index].EffectiveAt)...)
	}
	slices.Sort(touched)
	written := append(added, slices.DeleteFunc(slices.Compact(touched), func(i int) bool { return isAdded[i] })...)
	for _, index := range written {
		disclosures = append(disclosures, rows[index])
		if p := rows[index].set(records[index]); p.Attachments != nil || p.Facts != nil || p.Contexts != nil || p.Content != nil {
			parts = append(parts, p)
		}
	}
	if err := upsert(ctx, tx, disclosures, "disclosure_index"); err != nil {
		return err
	}
	for chunk := range slices.Chunk(codes, upsertChunk) {
		if _, err := tx.NewInsert().Model(&chunk).Exec(ctx); err != nil {
			return err
		}
	}
	if err := upsert(ctx, tx, parts, "disclosure_index"); err != nil {
		return err
	}
	return storeWords(ctx, tx, written, records)
}

// storedDisclosures loads what is stored under the numbers of entries.
func storedDisclosures(ctx context.Context, tx *numbered, entries []entry[kap.Record]) (map[int]*disclosureRow,
	map[int]*kap.Record, error) {
	var numbers []int
	for _, e := range entries {
		numbers = append(numbers, e.record.DisclosureIndex)
	}
	return disclosureRecords(ctx, atOnce, tx, numbers)
}

// beforeAll is the effective time of a disclosure if neither it nor any lower number has a
// publication time.
var beforeAll = value.MustInstant("1900-01-01T00:00:00Z")

// setEffective sets the place of added disclosures in the lists.
func setEffective(ctx context.Context, tx *numbered, added []int, rows map[int]*disclosureRow, records map[int]*kap.Record) error {
	sorted := slices.Sorted(slices.Values(added))
	for i, index := range sorted {
		row := rows[index]
		if row.EffectiveAt = records[index].PublishedAt; !row.EffectiveAt.IsNull() {
			continue
		}
		below := -1 // the nearest lower number in the batch with a publication time
		for _, lower := range slices.Backward(sorted[:i]) {
			if !records[lower].PublishedAt.IsNull() {
				below, row.EffectiveAt = lower, records[lower].PublishedAt
				break
			}
		}
		var stored value.Instant
		err := tx.NewSelect().Table("disclosures").Column("published_at").
			Where("disclosure_index < ? AND disclosure_index > ? AND published_at IS NOT NULL", index, below).
			Order("disclosure_index DESC").Limit(1).Scan(ctx, &stored)
		switch {
		case err == nil:
			row.EffectiveAt = stored
		case !errors.Is(err, sql.ErrNoRows):
			return err
		case row.EffectiveAt.IsNull():
			row.EffectiveAt = beforeAll
		}
	}
	return nil
}
