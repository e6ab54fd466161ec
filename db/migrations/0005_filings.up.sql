INSERT INTO heads (feed, seq) VALUES ('filings', 0), ('inflation', 0), ('news', 0), ('sources', 0);
--bun:split
-- filings are the statements of disclosures; which of a period's filings stands
-- is decided when they are read.
CREATE TABLE filings (
  disclosure_index BIGINT PRIMARY KEY,
  symbol           TEXT NOT NULL,
  year             TEXT NOT NULL,
  period           TEXT NOT NULL,
  end_date         {{.Date}} NOT NULL,
  consolidation    TEXT NOT NULL,
  currency         TEXT NOT NULL,
  template         TEXT NOT NULL,
  tms29_applied    BOOLEAN NOT NULL,
  measuring_month  TEXT,
  seq              BIGINT NOT NULL,
  balance_sheet    {{.JSON}} NOT NULL,
  income_statement {{.JSON}} NOT NULL,
  cash_flow        {{.JSON}} NOT NULL
);
--bun:split
CREATE INDEX filings_by_symbol ON filings (symbol);
--bun:split
CREATE TABLE news (
  news_id      TEXT {{.Bytewise}} PRIMARY KEY,
  title        TEXT NOT NULL,
  published_at {{.Instant}} NOT NULL,
  symbols      {{.JSON}} NOT NULL,
  summary      TEXT,
  sentiment    {{.JSON}},
  link         TEXT,
  seq          BIGINT NOT NULL
);
--bun:split
CREATE INDEX news_by_time ON news (published_at, news_id);
--bun:split
-- news_codes finds news by code, in the order of the list.
CREATE TABLE news_codes (
  code         TEXT NOT NULL,
  published_at {{.Instant}} NOT NULL,
  news_id      TEXT {{.Bytewise}} NOT NULL,
  PRIMARY KEY (code, published_at, news_id)
) {{.Clustered}};
--bun:split
CREATE INDEX news_codes_by_id ON news_codes (news_id);
--bun:split
CREATE TABLE inflation_points (
  month      TEXT NOT NULL,
  series_id  TEXT NOT NULL,
  value      {{.Decimal}},
  unit       TEXT,
  source     TEXT,
  fetched_at {{.Instant}},
  seq        BIGINT NOT NULL,
  PRIMARY KEY (month, series_id)
);
--bun:split
CREATE TABLE source_status (
  source TEXT PRIMARY KEY,
  up     BOOLEAN NOT NULL,
  as_of  {{.Instant}} NOT NULL,
  seq    BIGINT NOT NULL
);
