UPDATE run SET policy = NULL
