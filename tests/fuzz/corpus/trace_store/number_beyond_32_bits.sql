UPDATE kernel SET registers = 4294967328
