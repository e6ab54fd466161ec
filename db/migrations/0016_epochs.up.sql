-- epochs are the times during which the store did not go back; the newest is the
-- current one. Ended holds the last number of each feed that outlived the epochs
-- before, and the first number of a feed is ended + skip + 1. Place is what the
-- database ran on when the epoch began.
CREATE TABLE epochs (
  number BIGINT PRIMARY KEY,
  id     TEXT NOT NULL UNIQUE,
  place  TEXT NOT NULL,
  ended  {{.JSON}} NOT NULL,
  skip   BIGINT NOT NULL,
  began  {{.Instant}} NOT NULL
);
