UPDATE decision SET app = -1
