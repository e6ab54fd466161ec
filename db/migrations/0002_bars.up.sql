-- Bars are not numbered one by one; the head moves when any of them changed.
INSERT INTO heads (feed, seq) VALUES ('bars', 0);
--bun:split
CREATE TABLE bars (
  instrument_id TEXT NOT NULL,
  resolution    TEXT NOT NULL,
  t             {{.Instant}} NOT NULL,
  open          {{.Decimal}},
  high          {{.Decimal}},
  low           {{.Decimal}},
  close         {{.Decimal}},
  volume        {{.Decimal}},
  turnover      {{.Decimal}},
  trade_count   INTEGER,
  PRIMARY KEY (instrument_id, resolution, t)
) {{.Clustered}};
--bun:split
CREATE TABLE index_bars (
  code  TEXT NOT NULL,
  date  {{.Date}} NOT NULL,
  open  {{.Decimal}},
  high  {{.Decimal}},
  low   {{.Decimal}},
  close {{.Decimal}} NOT NULL,
  PRIMARY KEY (code, date)
) {{.Clustered}};
