UPDATE kernel SET instructions = 9e999
