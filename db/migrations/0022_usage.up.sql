-- usage holds the request units that keys have used, by day (UTC) and operation;
-- usage_months their sums, for quotas. usage_writers says up to which batch the rows of
-- each server are added, so that one that is sent again is not added twice.
CREATE TABLE usage (
  key_id    TEXT NOT NULL,
  day       {{.Date}} NOT NULL,
  operation TEXT NOT NULL,
  units     BIGINT NOT NULL,
  PRIMARY KEY (key_id, day, operation)
) {{.Clustered}};
--bun:split
CREATE TABLE usage_months (
  month  TEXT NOT NULL,
  key_id TEXT NOT NULL,
  units  BIGINT NOT NULL,
  PRIMARY KEY (month, key_id)
) {{.Clustered}};
--bun:split
CREATE TABLE usage_writers (
  writer TEXT PRIMARY KEY,
  batch  BIGINT NOT NULL,
  seen   {{.Instant}} NOT NULL
);
