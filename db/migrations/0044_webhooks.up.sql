-- Webhooks that keys have registered. Who delivers them holds the row "to webhooks of keys"
-- in collectors.
CREATE TABLE webhooks (
  id         TEXT PRIMARY KEY,
  key_id     TEXT NOT NULL,
  url        TEXT NOT NULL,
  topics     {{.JSON}} NOT NULL,
  begins     TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  state      TEXT NOT NULL
);
CREATE INDEX webhooks_of_key ON webhooks (key_id);
