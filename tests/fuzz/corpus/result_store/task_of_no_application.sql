UPDATE task SET app = 7
