UPDATE app SET name = NULL
