INSERT INTO heads (feed, seq) VALUES ('calendar', 0), ('funds', 0), ('ipos', 0);
--bun:split
CREATE TABLE calendar_events (
  event_id    BIGINT PRIMARY KEY,
  name        TEXT NOT NULL,
  country     {{.JSON}} NOT NULL,
  currency    TEXT NOT NULL,
  importance  INTEGER NOT NULL,
  is_speaking BOOLEAN NOT NULL,
  seq         BIGINT NOT NULL
);
--bun:split
-- calendar_items are occurrences. Their figures are text: JSON numbers kept
-- digit for digit.
CREATE TABLE calendar_items (
  event_id BIGINT NOT NULL,
  time     {{.Instant}} NOT NULL,
  actual   TEXT,
  forecast TEXT,
  previous TEXT,
  unit     TEXT NOT NULL,
  seq      BIGINT NOT NULL,
  PRIMARY KEY (event_id, time)
);
--bun:split
CREATE INDEX calendar_items_by_time ON calendar_items (time, event_id);
--bun:split
CREATE TABLE funds (
  code               TEXT PRIMARY KEY,
  instrument_id      TEXT,
  name               TEXT NOT NULL,
  founder            TEXT,
  category           TEXT,
  currency           TEXT NOT NULL,
  price              {{.Decimal}},
  price_date         {{.Date}},
  portfolio_size     {{.Decimal}},
  investor_count     INTEGER,
  share_count        {{.Decimal}},
  management_fee_pct {{.Decimal}},
  risk_level         INTEGER,
  is_participation   BOOLEAN,
  inception_date     {{.Date}},
  as_of              {{.Instant}},
  returns            {{.JSON}},
  seq                BIGINT NOT NULL
);
--bun:split
CREATE TABLE fund_flows (
  code           TEXT NOT NULL,
  date           {{.Date}} NOT NULL,
  net_flow       {{.Decimal}} NOT NULL,
  inflow         {{.Decimal}},
  outflow        {{.Decimal}},
  investor_count INTEGER,
  seq            BIGINT NOT NULL,
  PRIMARY KEY (code, date)
);
--bun:split
CREATE TABLE fund_holdings (
  fund_code     TEXT NOT NULL,
  instrument_id TEXT NOT NULL,
  report_month  TEXT NOT NULL,
  weight_pct    {{.Decimal}},
  market_value  {{.Decimal}},
  seq           BIGINT NOT NULL,
  PRIMARY KEY (fund_code, report_month, instrument_id)
);
--bun:split
CREATE INDEX fund_holdings_by_instrument ON fund_holdings (instrument_id, report_month);
--bun:split
CREATE TABLE ipos (
  id                  TEXT PRIMARY KEY,
  company             TEXT NOT NULL,
  symbol              TEXT,
  instrument_id       TEXT,
  price               {{.Decimal}},
  price_low           {{.Decimal}},
  price_high          {{.Decimal}},
  currency            TEXT NOT NULL,
  lots                {{.Decimal}},
  offer_size          {{.Decimal}},
  demand_start        {{.Date}},
  demand_end          {{.Date}},
  first_trade_date    {{.Date}},
  lead_underwriter    TEXT,
  as_of               {{.Instant}},
  distribution_method TEXT,
  use_of_proceeds     TEXT,
  discount_pct        {{.Decimal}},
  free_float_pct      {{.Decimal}},
  documents           {{.JSON}},
  seq                 BIGINT NOT NULL
);
