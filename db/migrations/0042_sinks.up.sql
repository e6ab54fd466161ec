-- The number of the change that wrote a bar; 0: an earlier version did.
ALTER TABLE bars ADD COLUMN seq BIGINT NOT NULL DEFAULT 0;
--bun:split
ALTER TABLE index_bars ADD COLUMN seq BIGINT NOT NULL DEFAULT 0;
--bun:split
-- How far each sink has delivered, and how it fares. Who delivers it holds the row
-- of its name in collectors.
CREATE TABLE sinks (
  name  TEXT PRIMARY KEY,
  state TEXT NOT NULL
);
