-- Versions of records that others replaced, or that were withdrawn: version is the number
-- of the row in its feed, until that of what took its place.
CREATE TABLE superseded (
  of_table  TEXT {{.Bytewise}} NOT NULL,
  subject   TEXT {{.Bytewise}} NOT NULL,
  key       TEXT {{.Bytewise}} NOT NULL,
  version   BIGINT NOT NULL,
  until     BIGINT NOT NULL,
  published {{.Instant}},
  record    {{.Bytes}} NOT NULL,
  PRIMARY KEY (of_table, subject, key, version)
) {{.Clustered}};
--bun:split
-- When which numbers of a feed were committed.
CREATE TABLE commits (
  feed  TEXT {{.Bytewise}} NOT NULL,
  at    {{.Instant}} NOT NULL,
  first BIGINT NOT NULL,
  last  BIGINT NOT NULL,
  PRIMARY KEY (feed, at)
) {{.Clustered}};
