INSERT INTO heads (feed, seq) VALUES ('logos', 0);
--bun:split
-- logos are of an instrument, the founder empty, or of a founder, the
-- instrument empty. The image is last: what comes before it is read without it.
CREATE TABLE logos (
  instrument_id TEXT NOT NULL,
  founder       TEXT NOT NULL,
  etag          TEXT NOT NULL,
  seq           BIGINT NOT NULL,
  png           {{.Bytes}} NOT NULL,
  PRIMARY KEY (instrument_id, founder)
);
--bun:split
CREATE INDEX logos_by_seq ON logos (seq);
