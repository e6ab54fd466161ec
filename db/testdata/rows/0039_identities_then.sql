UPDATE renames SET seq = 13 WHERE instrument_id = 'bist:DMOST';
UPDATE former_meanings SET seq = 14 WHERE instrument_id = 'bist:DMOST';
UPDATE heads SET seq = 14 WHERE feed = 'catalog';
