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

-- For a server that makes its schema from the database's.
CREATE FUNCTION watchlist(ids text[]) RETURNS SETOF instruments STABLE LANGUAGE sql AS $$
  SELECT i.* FROM unnest(ids) WITH ORDINALITY u (id, n) JOIN instruments i ON i.instrument_id = u.id ORDER BY u.n
$$;
CREATE FUNCTION instruments_newest(instrument instruments) RETURNS SETOF disclosures STABLE LANGUAGE sql AS $$
  SELECT d.* FROM disclosure_symbols s JOIN disclosures d USING (disclosure_index) WHERE s.symbol = instrument.symbol
  ORDER BY s.published_at DESC, s.disclosure_index DESC
$$;
CREATE FUNCTION candles(id text, first_day date, last_day date) RETURNS SETOF bars STABLE LANGUAGE sql AS $$
  SELECT * FROM bars WHERE instrument_id = id AND t >= first_day AND t < last_day + 1 ORDER BY t
$$;
CREATE FUNCTION disclosures_of(code text) RETURNS SETOF disclosures STABLE LANGUAGE sql AS $$
  SELECT d.* FROM disclosure_symbols s JOIN disclosures d USING (disclosure_index) WHERE s.symbol = code
  ORDER BY s.published_at DESC, s.disclosure_index DESC
$$;
COMMENT ON FUNCTION watchlist IS '@behavior +list -connection';
COMMENT ON FUNCTION candles IS '@behavior +list -connection';
COMMENT ON FUNCTION instruments_newest IS '@behavior +list -connection';
