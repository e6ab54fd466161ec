package db

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/uptrace/bun"
)

// verifyChunk is how many rows are compared at once.
const verifyChunk = 500

// checkDisclosures compares each disclosure with its parts, and with the codes by which it is
// found.
func (v *verifier) checkDisclosures(ctx context.Context) error {
	last := -1
	for {
		var rows []disclosureRow
		if err := v.tx.NewSelect().Model(&rows).Column("disclosure_index", "type", "symbols", "added_symbols", "effective_at",
			"body_format").
			Where("disclosure_index > ?", last).Order("disclosure_index").Limit(verifyChunk).Scan(ctx, &rows); err != nil ||
			len(rows) == 0 {
			return err
		}
		numbers := make([]int, len(rows))
		for i, r := range rows {
			numbers[i] = r.DisclosureIndex
		}
		var found []codeRow
		if err := v.tx.NewSelect().Model(&found).Where("disclosure_index IN (?)", bun.List(numbers)).Scan(ctx); err != nil {
			return err
		}
		var parts []int
		err := v.tx.NewSelect().TableExpr("disclosure_parts").Column("disclosure_index").
			Where("disclosure_index IN (?) AND content IS NOT NULL", bun.List(numbers)).Scan(ctx, &parts)
		if err != nil {
			return err
		}
		codes, hasBody := map[codeRow]bool{}, map[int]bool{}
		for _, c := range found {
			codes[c] = true
		}
		for _, n := range parts {
			hasBody[n] = true
		}
		for _, r := range rows {
			subject := fmt.Sprintf("disclosure %d", r.DisclosureIndex)
			for _, row := range codesOf(&r.Disclosure, r.EffectiveAt) {
				if !codes[row] {
					v.finding("disclosures", subject, "it is not found under its code %s", row.Code)
				}
				delete(codes, row)
			}
			if (r.BodyFormat != nil) != hasBody[r.DisclosureIndex] {
				v.finding("disclosures", subject, "its row and its parts disagree on whether it has a body")
			}
		}
		for c := range codes {
			v.finding("disclosures", fmt.Sprintf("disclosure %d", c.DisclosureIndex),
				"it is found under %s, which is not its code, or at another time or with another type than its own", c.Code)
		}
		v.Disclosures += len(rows)
		last = rows[len(rows)-1].DisclosureIndex
	}
}

// references are rows that need another row: a statement that selects those without it, and the
// problem.
var references = []struct{ statement, problem string }{
	{"SELECT 'disclosure_parts' AS subject, CAST(disclosure_index AS TEXT) AS value FROM disclosure_parts AS p WHERE " +
		"NOT EXISTS (SELECT 1 " +
		"FROM disclosures AS d WHERE d.disclosure_index = p.disclosure_index)", "parts of disclosure %s, which is not stored"},
	{"SELECT 'disclosure_codes' AS subject, CAST(disclosure_index AS TEXT) AS value FROM disclosure_codes AS c WHERE " +
		"NOT EXISTS (SELECT 1 " +
		"FROM disclosures AS d WHERE d.disclosure_index = c.disclosure_index)", "codes of disclosure %s, which is not stored"},
	{"SELECT 'disclosure_words' AS subject, CAST(disclosure_index AS TEXT) AS value FROM disclosures AS d WHERE " +
		"NOT EXISTS (SELECT 1 FROM disclosure_words AS w WHERE w.disclosure_index = d.disclosure_index) AND " +
		"NOT EXISTS (SELECT 1 FROM unsearched AS u WHERE u.disclosure_index = d.disclosure_index)",
		"the words of disclosure %s, which no search finds"},
	{"SELECT 'news_codes' AS subject, news_id AS value FROM news_codes AS c WHERE NOT EXISTS (SELECT 1 FROM news AS n WHERE " +
		"n.news_id = c.news_id)", "codes of news %s, which is not stored"},
	{"SELECT 'statements' AS subject, layout AS value FROM statements AS s WHERE NOT EXISTS (SELECT 1 FROM statement_layouts AS l WHERE " +
		"l.layout = s.layout)", "the layout %s, which is not stored"},
	{"SELECT 'bar_changes' AS subject, k.subject AS value FROM (SELECT DISTINCT instrument_id AS subject FROM bars " +
		"WHERE resolution = '1d' " +
		"UNION SELECT DISTINCT code FROM index_bars) AS k WHERE NOT EXISTS (SELECT 1 FROM bar_changes AS c WHERE c.subject = k.subject)",
		"%s has daily bars, and no number of their last change"},
	{"SELECT 'recordings' AS subject, b.instrument_id AS value FROM (SELECT DISTINCT instrument_id FROM bars WHERE " +
		"recorded) AS b WHERE NOT " +
		"EXISTS (SELECT 1 FROM recordings AS r WHERE r.instrument_id = b.instrument_id)", "%s has recorded bars, and no recording"},
}

// checkReferences finds rows without the row that they belong to.
func (v *verifier) checkReferences(ctx context.Context) error {
	for _, r := range references {
		if err := v.listed(ctx, "references", fmt.Sprintf("%s ORDER BY 2 LIMIT %d", r.statement, maxFindings), func(key string) string {
			return fmt.Sprintf(r.problem, key)
		}); err != nil {
			return err
		}
	}
	return v.checkCompanies(ctx)
}

// checkCompanies finds codes by which their companies are not found.
func (v *verifier) checkCompanies(ctx context.Context) error {
	last := ""
	for {
		var rows []struct {
			CompanyID string
			Record    json.RawMessage
		}
		if err := v.tx.NewSelect().TableExpr("companies").Column("company_id", "record").Where("company_id > ?",
			last).Order("company_id").Limit(verifyChunk).Scan(ctx, &rows); err != nil || len(rows) == 0 {
			return err
		}
		ids := make([]string, len(rows))
		for i, r := range rows {
			ids[i] = r.CompanyID
		}
		var found []companyCodeRow
		if err := v.tx.NewSelect().Model(&found).Where("company_id IN (?)", bun.List(ids)).Scan(ctx); err != nil {
			return err
		}
		held := map[[2]string]bool{}
		for _, f := range found {
			held[[2]string{f.CompanyID, f.Code}] = true
		}
		for _, r := range rows {
			var company struct{ Codes []string }
			if err := json.Unmarshal(r.Record, &company); err != nil {
				v.finding("references", "companies", "the record of %s cannot be read: %v", r.CompanyID, err)
			}
			for _, code := range company.Codes {
				if !held[[2]string{r.CompanyID, code}] {
					v.finding("references", "company_codes", "%s is not found under its code %s", r.CompanyID, code)
				}
			}
		}
		last = rows[len(rows)-1].CompanyID
	}
}
