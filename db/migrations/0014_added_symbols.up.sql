-- added_symbols is how many of a disclosure's last symbols are codes of the filer
-- that the platform did not list; topics of streams go by the others.
ALTER TABLE disclosures ADD COLUMN added_symbols INTEGER NOT NULL DEFAULT 0;
--bun:split
ALTER TABLE disclosure_codes ADD COLUMN added BOOLEAN NOT NULL DEFAULT FALSE;
