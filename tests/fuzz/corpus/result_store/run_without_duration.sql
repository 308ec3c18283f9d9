UPDATE run SET duration_s = 0
