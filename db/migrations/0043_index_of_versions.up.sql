-- Who follows a feed reads the versions of records by their numbers, too.
CREATE INDEX {{.Beside}} superseded_by_version ON superseded (of_table, version);
