-- servers are the servers that answer requests from this database; shared_buckets what
-- keys may still ask of all of them, in millionths of a token, if there are several.
CREATE TABLE servers (
  id      TEXT PRIMARY KEY,
  machine TEXT NOT NULL,
  pid     BIGINT NOT NULL,
  shares  BOOLEAN NOT NULL,
  seen    BIGINT NOT NULL -- microseconds since 1970
);
--bun:split
CREATE TABLE shared_buckets (
  key_id  TEXT NOT NULL,
  sort    TEXT NOT NULL,
  tokens  BIGINT NOT NULL,
  granted BIGINT NOT NULL, -- by the last change
  at      BIGINT NOT NULL, -- when that was, in microseconds since 1970
  PRIMARY KEY (key_id, sort)
) {{.Clustered}};
