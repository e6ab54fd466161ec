-- adjustments says of an instrument's history whether its prices are adjusted for corporate
-- actions, as its bars stated when they were loaded. An instrument without a row has bars
-- that do not say.
CREATE TABLE adjustments (
  instrument_id TEXT PRIMARY KEY,
  adjustment    TEXT NOT NULL,
  seq           BIGINT NOT NULL
);
--bun:split
CREATE INDEX adjustments_seq ON adjustments (seq);
