package dataset

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

type object = map[string]any

// WriteRecords writes the data set into a folder as `piyasa ingest` reads it.
func WriteRecords(folder string) error { return writeFiles(folder, barRecords, disclosureRecords) }

// writeFiles writes the records of all stocks, with these bars and disclosures.
func writeFiles(folder string, bars, disclosures func(yield func(object))) error {
	for i, file := range []struct {
		name  string
		write func(yield func(object))
	}{
		{"catalog", catalogRecords},
		{"quotes", quoteRecords},
		{"fundamentals", fundamentalRecords},
		{"bars", bars},
		{"disclosures", disclosures},
	} {
		if err := writeFile(filepath.Join(folder, fmt.Sprintf("%d-%s.ndjson", i+1, file.name)), file.write); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(path string, write func(yield func(object))) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	buffered := bufio.NewWriterSize(file, 1<<18)
	lines := json.NewEncoder(buffered)
	lines.SetEscapeHTML(false)
	write(func(o object) {
		if err == nil {
			err = lines.Encode(o)
		}
	})
	if err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	return file.Close()
}

func catalogRecords(yield func(object)) {
	instrument := func(in Instrument, zone, open, closes string) {
		yield(object{
			"record": "instrument", "instrument_id": in.ID, "symbol": in.Symbol, "name": in.Name, "market": in.Market,
			"asset_type": "STOCK", "currency": in.Currency, "source": "bench", "delay": 900,
			"session": object{"timezone": zone, "open": open, "close": closes, "always_open": false},
		})
	}
	for n := range Stocks {
		s := Stock(n)
		instrument(s, "Europe/Istanbul", "10:00", "18:00")
		yield(object{"record": "company", "company_id": "bench-" + s.Symbol, "codes": []string{s.Symbol}, "symbol": s.Symbol,
			"identity": object{"title": s.Name}})
	}
	for n := range Charted {
		instrument(Chart(n), "America/New_York", "09:30", "16:00")
	}
}

func quoteRecords(yield func(object)) {
	for n := range Stocks {
		yield(QuoteOf(n).record())
	}
}

func (q Quote) record() object {
	return object{
		"record": "quote", "instrument_id": q.Instrument.ID, "as_of": q.AsOfText, "currency": q.Instrument.Currency, "last": q.Last,
		"prev_close": q.PrevClose, "change": q.Change, "change_pct": q.ChangePct, "open": q.Open, "high": q.High, "low": q.Low,
		"bid": q.Bid, "ask": q.Ask, "volume": q.Volume, "turnover": q.Turnover, "limit_up": q.LimitUp, "limit_down": q.LimitDown,
	}
}

// Line returns the quote as a line of input, without its end.
func (q Quote) Line() []byte { return line(q.record()) }

// BarLine returns a bar of five minutes of the nth stock as a line of input.
func BarLine(n int, t time.Time) []byte {
	q := QuoteOf(n)
	return line(object{"record": "bar", "instrument_id": q.Instrument.ID, "resolution": "5m", "t": instant(t), "open": q.Open,
		"close": q.Last, "volume": q.Volume})
}

// quarters are the ends of the periods for which every company has filed.
var quarters = []struct {
	year, month int
	end, filed  string
}{
	{2024, 9, "2024-09-30", "2024-11-08"}, {2024, 12, "2024-12-31", "2025-03-07"}, {2025, 3, "2025-03-31", "2025-05-09"},
	{2025, 6, "2025-06-30", "2025-08-08"}, {2025, 9, "2025-09-30", "2025-11-07"}, {2025, 12, "2025-12-31", "2026-03-06"},
	{2026, 3, "2026-03-31", "2026-05-08"}, {2026, 6, "2026-06-30", "2026-08-07"}, {2026, 9, "2026-09-30", "2026-11-06"},
}

func fundamentalRecords(yield func(object)) {
	for n := range Stocks {
		r := random("fundamentals", n)
		equity := 1_000_000_000 + r.Int64N(80_000_000_000)
		yield(object{
			"record": "market_metrics", "instrument_id": Stock(n).ID, "date": LastDay(), "as_of": instant(Now),
			"market_cap": cents(equity * 100 * (80 + r.Int64N(300)) / 100), "pe_ratio": cents(300 + r.Int64N(3000)), "source": "bench",
		})
		for i, q := range quarters {
			sales := equity / 40 * int64(q.month) * int64(20+i) / 20
			profit := sales * (5 + r.Int64N(15)) / 100
			var items []object
			line := func(code, label, group, kind, role string, value int64) {
				item := object{"code": code, "label_tr": label, "group": group, "kind": kind, "value": fmt.Sprint(value)}
				if role != "" {
					item["role"] = role
				}
				items = append(items, item)
			}
			line("R1", "Nakit ve Nakit Benzerleri", "balance_sheet", "stock", "cash_and_equivalents", equity/9)
			line("R2", "Finansal Yatırımlar", "balance_sheet", "stock", "short_term_financial_investments", equity/20)
			line("R3", "Ticari Alacaklar", "balance_sheet", "stock", "", equity/5)
			line("R4", "Kısa Vadeli Borçlanmalar", "balance_sheet", "stock", "short_term_financial_debt", equity/4)
			line("R5", "Uzun Vadeli Borçlanmalar", "balance_sheet", "stock", "long_term_financial_debt", equity/3)
			line("R6", "Özkaynaklar", "balance_sheet", "stock", "total_equity", equity+equity/50)
			line("R7", "Ana Ortaklığa Ait Özkaynaklar", "balance_sheet", "stock", "equity_attributable_to_parent", equity)
			line("R8", "Azınlık Payları", "balance_sheet", "stock", "minority_interest", equity/50)
			line("R9", "Hasılat", "income_statement", "flow", "revenue", sales)
			line("R10", "Brüt Kar", "income_statement", "flow", "", sales/3)
			line("R11", "Faaliyet Karı", "income_statement", "flow", "operating_profit", sales/5)
			line("R12", "Ana Ortaklık Payları", "income_statement", "flow", "net_profit_parent", profit)
			line("R13", "Amortisman Giderleri", "cash_flow", "flow", "depreciation_and_amortisation", sales/25)
			yield(object{
				"record": "statement", "instrument_id": Stock(n).ID, "fiscal_year": q.year, "fiscal_month": q.month, "currency": "TRY",
				"filed_at": q.filed + "T16:00:00Z", "end_date": q.end, "basis": "nominal", "template": "industrial", "items": items,
			})
		}
	}
}

func barRecords(yield func(object)) {
	for n := range Charted {
		for _, b := range BarsOf(n) {
			yield(object{
				"record": "bar", "instrument_id": b.InstrumentID, "resolution": "1d", "t": b.T, "open": b.Open, "high": b.High,
				"low": b.Low, "close": b.Close, "volume": b.Volume, "turnover": b.Turnover, "trade_count": b.Trades,
			})
		}
	}
}

func disclosureRecords(yield func(object)) {
	for n := range Disclosures {
		yield(DisclosureOf(n).record())
	}
}

func (d Disclosure) record() object {
	o := object{
		"record": "disclosure", "disclosure_index": d.Index, "type": d.Type, "class": d.Type, "symbols": d.Symbols,
		"filer_codes": d.Symbols[:1], "filer_title": d.FilerTitle, "company_id": d.CompanyID, "published_at": d.PublishedAt,
		"reason": d.Reason, "subject": object{"tr": d.SubjectTr, "en": d.SubjectEn}, "link": d.Link, "attachment_count": d.AttachmentCount,
	}
	if d.RelatedIndex != 0 {
		o["related_index"] = d.RelatedIndex
	}
	if d.SummaryTr != "" {
		o["summary"] = object{"tr": d.SummaryTr, "en": d.SummaryEn}
	}
	if d.Statement != "" {
		o["year"], o["period"], o["consolidation"] = d.Year, d.Period, d.Statement
	}
	return o
}

// Line returns the disclosure as a line of input, without its end.
func (d Disclosure) Line() []byte { return line(d.record()) }

func line(o object) []byte {
	line, err := json.Marshal(o)
	if err != nil {
		panic(err) // strings and numbers only
	}
	return line
}

// Row returns the disclosure as servers deliver it: a row of piyasa's REST.
func (d Disclosure) Row() []byte {
	type localized struct {
		TR string `json:"tr"`
		EN string `json:"en"`
	}
	optional := func(text string) *string {
		if text == "" {
			return nil
		}
		return &text
	}
	row := struct {
		Index       int        `json:"disclosure_index"`
		Type        string     `json:"type"`
		Class       string     `json:"class"`
		Symbols     []string   `json:"symbols"`
		FilerCodes  []string   `json:"filer_codes"`
		FilerTitle  string     `json:"filer_title"`
		PublishedAt string     `json:"published_at"`
		Reason      string     `json:"reason"`
		Related     *int       `json:"related_index"`
		Subject     localized  `json:"subject"`
		Summary     *localized `json:"summary"`
		Link        string     `json:"link"`
		Attachments int        `json:"attachment_count"`
		Year        *string    `json:"year"`
		Period      *string    `json:"period"`
		Statement   *string    `json:"consolidation"`
	}{
		Index: d.Index, Type: d.Type, Class: d.Type, Symbols: d.Symbols, FilerCodes: d.Symbols[:1], FilerTitle: d.FilerTitle,
		PublishedAt: d.PublishedAt, Reason: d.Reason, Subject: localized{d.SubjectTr, d.SubjectEn}, Link: d.Link,
		Attachments: d.AttachmentCount,
		Year:        optional(d.Year), Period: optional(d.Period), Statement: optional(d.Statement),
	}
	if d.RelatedIndex != 0 {
		row.Related = &d.RelatedIndex
	}
	if d.SummaryTr != "" {
		row.Summary = &localized{d.SummaryTr, d.SummaryEn}
	}
	json, err := json.Marshal(row)
	if err != nil {
		panic(err) // strings and numbers only
	}
	return json
}
