-- source_states is where the collectors of sources have got to, as the record state says;
-- collectors who collects which, for how long.
CREATE TABLE source_states (
  source TEXT PRIMARY KEY,
  state  TEXT NOT NULL,
  as_of  {{.Instant}} NOT NULL,
  seq    BIGINT NOT NULL
);
--bun:split
CREATE INDEX source_states_seq ON source_states (seq);
--bun:split
CREATE TABLE collectors (
  source TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  until  BIGINT NOT NULL -- microseconds since 1970
);
