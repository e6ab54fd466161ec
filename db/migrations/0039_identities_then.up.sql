-- Numbers of the catalog, by which it is told since when a rename or a former meaning is known.
ALTER TABLE renames ADD COLUMN seq BIGINT NOT NULL DEFAULT 0;
--bun:split
ALTER TABLE former_meanings ADD COLUMN seq BIGINT NOT NULL DEFAULT 0;
