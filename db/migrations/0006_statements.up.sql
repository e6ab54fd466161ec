INSERT INTO heads (feed, seq) VALUES ('metrics', 0), ('statements', 0);
--bun:split
-- statement_layouts are the lines of statements in their order. Statements by
-- one template share a layout, whose id is a digest of its lines.
CREATE TABLE statement_layouts (
  layout TEXT PRIMARY KEY,
  lines  {{.JSON}} NOT NULL
);
--bun:split
-- statements are filings, every one of them: the first of a period is what was
-- reported, the newest what stands. figures has one word per line of the
-- layout.
CREATE TABLE statements (
  instrument_id TEXT NOT NULL,
  currency      TEXT NOT NULL,
  fiscal_year   INTEGER NOT NULL,
  fiscal_month  INTEGER NOT NULL,
  filed_at      {{.Instant}} NOT NULL,
  end_date      {{.Date}} NOT NULL,
  basis         TEXT NOT NULL,
  template      TEXT NOT NULL,
  layout        TEXT NOT NULL REFERENCES statement_layouts (layout),
  figures       TEXT NOT NULL,
  seq           BIGINT NOT NULL,
  PRIMARY KEY (instrument_id, currency, fiscal_year, fiscal_month, filed_at)
);
--bun:split
CREATE INDEX statements_by_seq ON statements (seq);
--bun:split
CREATE TABLE market_metrics (
  instrument_id TEXT NOT NULL,
  date          {{.Date}} NOT NULL,
  market_cap    {{.Decimal}},
  pe_ratio      {{.Decimal}},
  as_of         {{.Instant}},
  source        TEXT,
  seq           BIGINT NOT NULL,
  PRIMARY KEY (instrument_id, date)
);
--bun:split
CREATE INDEX market_metrics_by_seq ON market_metrics (seq);
