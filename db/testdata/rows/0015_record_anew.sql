INSERT INTO record_anew (instrument_id) VALUES ('index:SPX');
