UPDATE task SET kernel = 99 WHERE id = 1
