ALTER TABLE instruments ADD COLUMN isin TEXT;
--bun:split
-- former_meanings says what prices of an instrument meant until the day valid_from. Since that
-- day they mean what its next row says, or else its catalog record.
CREATE TABLE former_meanings (
  instrument_id TEXT NOT NULL,
  valid_from    {{.Date}} NOT NULL,
  currency      TEXT NOT NULL,
  unit          TEXT,
  PRIMARY KEY (instrument_id, valid_from)
);
--bun:split
-- renames says which id an instrument had before, until the day renamed_on. former_id says
-- what the former id is now: gone, or free for another instrument.
CREATE TABLE renames (
  instrument_id TEXT PRIMARY KEY,
  predecessor   TEXT NOT NULL,
  renamed_on    {{.Date}} NOT NULL,
  former_id     TEXT NOT NULL
);
--bun:split
-- left_catalog says of ids that have left the catalog what their prices meant then, and of how
-- many instruments each was before another came under it.
CREATE TABLE left_catalog (
  instrument_id TEXT PRIMARY KEY,
  currency      TEXT NOT NULL,
  unit          TEXT,
  ended         INTEGER NOT NULL
);
