-- price_limits holds the highest and lowest price that the exchange allows on a day.
CREATE TABLE price_limits (
  date          {{.Date}} NOT NULL,
  instrument_id TEXT NOT NULL,
  limit_up      {{.Decimal}} NOT NULL,
  limit_down    {{.Decimal}} NOT NULL,
  seq           BIGINT NOT NULL,
  PRIMARY KEY (date, instrument_id)
);
--bun:split
CREATE INDEX price_limits_seq ON price_limits (seq);
