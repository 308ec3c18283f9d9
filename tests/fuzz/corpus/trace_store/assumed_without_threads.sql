UPDATE OR REPLACE job SET name = 4294967295 WHERE tasks = 1
UPDATE kernel SET geometry_provenance = geometry_provenance + 2
UPDATE kernel SET block_y = '%s%n{}[],;'
INSERT OR REPLACE INTO text (value, id) VALUES (1e18, 1)
