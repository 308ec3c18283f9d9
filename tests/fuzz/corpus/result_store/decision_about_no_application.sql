UPDATE decision SET app = 9
