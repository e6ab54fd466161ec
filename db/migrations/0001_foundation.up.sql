-- One text for both stores; the words in braces are the store's own types.

-- heads numbers the rows of each feed without gaps. Whoever stores rows of a
-- feed holds its row here until commit, so commit order is number order.
CREATE TABLE heads (
  feed TEXT PRIMARY KEY,
  seq  BIGINT NOT NULL
);
--bun:split
INSERT INTO heads (feed, seq) VALUES ('catalog', 0), ('keys', 0), ('quotes', 0);
--bun:split
CREATE TABLE instruments (
  instrument_id    TEXT PRIMARY KEY,
  symbol           TEXT NOT NULL,
  ticker           TEXT,
  name             TEXT NOT NULL,
  market           TEXT NOT NULL,
  asset_type       TEXT NOT NULL,
  currency         TEXT NOT NULL,
  source           TEXT,
  session          {{.JSON}},
  delay            INTEGER,
  coverage_from    {{.Date}},
  sector           TEXT,
  sector_code      TEXT,
  price_mechanism  TEXT,
  fund_code        TEXT,
  founder          TEXT,
  category         TEXT,
  underlying_index TEXT,
  is_participation BOOLEAN,
  segment          TEXT,
  unit             TEXT,
  region           TEXT,
  cmc_id           INTEGER,
  slug             TEXT,
  seq              BIGINT NOT NULL
);
--bun:split
CREATE INDEX instruments_seq ON instruments (seq);
--bun:split
CREATE TABLE sectors (
  code       TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  name_en    TEXT,
  members    {{.JSON}} NOT NULL,
  successors {{.JSON}},
  seq        BIGINT NOT NULL
);
--bun:split
CREATE INDEX sectors_seq ON sectors (seq);
--bun:split
CREATE TABLE bist_indices (
  code      TEXT PRIMARY KEY,
  name      TEXT NOT NULL,
  verified  BOOLEAN NOT NULL,
  synced_at {{.Instant}} NOT NULL,
  members   {{.JSON}} NOT NULL,
  seq       BIGINT NOT NULL
);
--bun:split
CREATE INDEX bist_indices_seq ON bist_indices (seq);
--bun:split
CREATE TABLE trading_days (
  market TEXT NOT NULL,
  date   {{.Date}} NOT NULL,
  open   TEXT,
  close  TEXT,
  seq    BIGINT NOT NULL,
  PRIMARY KEY (market, date)
);
--bun:split
CREATE INDEX trading_days_seq ON trading_days (seq);
--bun:split
-- quotes holds the newest observation of each instrument.
CREATE TABLE quotes (
  instrument_id      TEXT PRIMARY KEY,
  as_of              {{.Instant}} NOT NULL,
  last               {{.Decimal}},
  currency           TEXT,
  prev_close         {{.Decimal}},
  change             {{.Decimal}},
  change_pct         {{.Decimal}},
  open               {{.Decimal}},
  high               {{.Decimal}},
  low                {{.Decimal}},
  bid                {{.Decimal}},
  ask                {{.Decimal}},
  volume             {{.Decimal}},
  turnover           {{.Decimal}},
  limit_up           {{.Decimal}},
  limit_down         {{.Decimal}},
  market_cap         {{.Decimal}},
  data_delay_seconds INTEGER,
  seq                BIGINT NOT NULL
);
--bun:split
CREATE INDEX quotes_seq ON quotes (seq);
--bun:split
-- observations holds every one, late and revised ones included.
CREATE TABLE observations (
  instrument_id      TEXT NOT NULL,
  as_of              {{.Instant}} NOT NULL,
  last               {{.Decimal}},
  currency           TEXT,
  prev_close         {{.Decimal}},
  change             {{.Decimal}},
  change_pct         {{.Decimal}},
  open               {{.Decimal}},
  high               {{.Decimal}},
  low                {{.Decimal}},
  bid                {{.Decimal}},
  ask                {{.Decimal}},
  volume             {{.Decimal}},
  turnover           {{.Decimal}},
  limit_up           {{.Decimal}},
  limit_down         {{.Decimal}},
  market_cap         {{.Decimal}},
  data_delay_seconds INTEGER,
  PRIMARY KEY (instrument_id, as_of)
) {{.Clustered}};
--bun:split
CREATE TABLE keys (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  prefix     TEXT NOT NULL,
  hash       TEXT NOT NULL UNIQUE,
  plan       TEXT NOT NULL,
  scopes     {{.JSON}} NOT NULL,
  test       BOOLEAN NOT NULL,
  created_at BIGINT NOT NULL,
  revoked_at BIGINT
);
