-- index_links holds what leads from one base of a price index to another.
CREATE TABLE index_links (
  series_id TEXT NOT NULL,
  from_base TEXT NOT NULL,
  to_base   TEXT NOT NULL,
  factor    {{.Decimal}} NOT NULL,
  divisor   {{.Decimal}},
  month     TEXT,
  source    TEXT,
  seq       BIGINT NOT NULL,
  PRIMARY KEY (series_id, from_base, to_base)
);
