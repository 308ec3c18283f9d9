INSERT INTO dependency VALUES(1, 5, 4)
