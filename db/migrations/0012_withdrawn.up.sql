-- withdrawn are the rows that their source has taken back: they are deleted
-- from their table, and servers that know them learn of it by seq. Where lines
-- are ordered by as_of, none that is not newer brings the row back.
CREATE TABLE withdrawn (
  of_table TEXT NOT NULL,
  key      TEXT NOT NULL,
  feed     TEXT NOT NULL,
  as_of    {{.Instant}},
  seq      BIGINT NOT NULL,
  PRIMARY KEY (of_table, key)
);
--bun:split
CREATE INDEX withdrawn_by_seq ON withdrawn (feed, seq);
