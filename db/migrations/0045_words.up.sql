-- What disclosures say is searched by its stems, which piyasa makes so that both stores find
-- the same. unsearched are the disclosures whose words are not there yet: what a writer of the
-- version before stores gets there, too.
CREATE TABLE disclosure_words (
  disclosure_index {{if .Postgres}}BIGINT{{else}}INTEGER{{end}} PRIMARY KEY,
  words            TEXT NOT NULL
);
--bun:split
CREATE TABLE unsearched (disclosure_index {{if .Postgres}}BIGINT{{else}}INTEGER{{end}} PRIMARY KEY);
--bun:split
{{if .Postgres}}
CREATE INDEX disclosure_words_search ON disclosure_words USING gin (array_to_tsvector(string_to_array(btrim(words), ' ')));
--bun:split
CREATE FUNCTION disclosure_unsearched() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO unsearched VALUES (NEW.disclosure_index) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
--bun:split
CREATE TRIGGER disclosures_unsearched AFTER INSERT ON disclosures FOR EACH ROW EXECUTE FUNCTION disclosure_unsearched();
--bun:split
CREATE TRIGGER disclosure_parts_unsearched AFTER INSERT OR UPDATE ON disclosure_parts FOR EACH ROW EXECUTE FUNCTION disclosure_unsearched();
{{else}}
CREATE VIRTUAL TABLE disclosure_search USING fts5(words, content='disclosure_words', content_rowid='disclosure_index', tokenize='ascii', detail='none', columnsize=0);
--bun:split
CREATE TRIGGER disclosure_words_added AFTER INSERT ON disclosure_words BEGIN
  INSERT INTO disclosure_search (rowid, words) VALUES (NEW.disclosure_index, NEW.words);
END;
--bun:split
CREATE TRIGGER disclosure_words_changed AFTER UPDATE ON disclosure_words BEGIN
  INSERT INTO disclosure_search (disclosure_search, rowid, words) VALUES ('delete', OLD.disclosure_index, OLD.words);
  INSERT INTO disclosure_search (rowid, words) VALUES (NEW.disclosure_index, NEW.words);
END;
--bun:split
CREATE TRIGGER disclosure_words_gone AFTER DELETE ON disclosure_words BEGIN
  INSERT INTO disclosure_search (disclosure_search, rowid, words) VALUES ('delete', OLD.disclosure_index, OLD.words);
END;
--bun:split
CREATE TRIGGER disclosures_unsearched AFTER INSERT ON disclosures BEGIN
  INSERT INTO unsearched VALUES (NEW.disclosure_index) ON CONFLICT DO NOTHING;
END;
--bun:split
CREATE TRIGGER disclosure_parts_added AFTER INSERT ON disclosure_parts BEGIN
  INSERT INTO unsearched VALUES (NEW.disclosure_index) ON CONFLICT DO NOTHING;
END;
--bun:split
CREATE TRIGGER disclosure_parts_changed AFTER UPDATE ON disclosure_parts BEGIN
  INSERT INTO unsearched VALUES (NEW.disclosure_index) ON CONFLICT DO NOTHING;
END;
{{end}}
