UPDATE kernel SET dram_bytes_per_s = 1e308
