UPDATE kernel SET dram_fraction = -1
