-- The tables of servers that read from Postgres, as their author would make them.
CREATE TABLE instruments (
  instrument_id text PRIMARY KEY, symbol text NOT NULL, name text NOT NULL, market text NOT NULL, currency text NOT NULL
);
CREATE TABLE quotes (
  instrument_id text PRIMARY KEY REFERENCES instruments, symbol text NOT NULL, ticker text, market text NOT NULL, currency text NOT NULL,
  last numeric NOT NULL, prev_close numeric, change numeric, change_pct numeric, open numeric, high numeric, low numeric, bid numeric,
  ask numeric, volume numeric, turnover numeric, limit_up numeric, limit_down numeric, market_cap numeric,
  as_of timestamptz NOT NULL, data_delay_seconds integer NOT NULL
);
-- Computed before, while piyasa computes them from statements.
CREATE TABLE valuations (
  instrument_id text PRIMARY KEY REFERENCES instruments,
  market_cap numeric, pe_ratio numeric, pb_ratio numeric, net_debt numeric, ev numeric
);
CREATE TABLE bars (
  instrument_id text NOT NULL REFERENCES instruments, t timestamptz NOT NULL, open numeric, high numeric, low numeric, close numeric,
  volume numeric, turnover numeric, trade_count integer, PRIMARY KEY (instrument_id, t)
);
CREATE TABLE disclosures (
  disclosure_index integer PRIMARY KEY, type text NOT NULL, class text, symbols text[] NOT NULL, filer_codes text[] NOT NULL,
  filer_title text, published_at timestamptz, reason text, related_index integer, subject_tr text, subject_en text, summary_tr text,
  summary_en text, link text, attachment_count integer NOT NULL, year text, period text, consolidation text
);
CREATE TABLE disclosure_symbols (
  symbol text NOT NULL, published_at timestamptz NOT NULL, disclosure_index integer NOT NULL REFERENCES disclosures,
  PRIMARY KEY (symbol, published_at, disclosure_index)
);
