-- What was observed before there was a recorder has made no bars.
DELETE FROM observations;
--bun:split
-- recordings is where the recorder goes on with the next observation.
CREATE TABLE recordings (
  instrument_id TEXT PRIMARY KEY,
  recording     {{.JSON}} NOT NULL
);
--bun:split
-- kept is how far back observations go; older ones come too late.
CREATE TABLE kept (
  market TEXT PRIMARY KEY,
  since  {{.Instant}} NOT NULL
);
--bun:split
-- A bar is recorded from observations, or loaded as it is; a loaded one stands.
ALTER TABLE bars ADD COLUMN recorded BOOLEAN NOT NULL DEFAULT FALSE;
