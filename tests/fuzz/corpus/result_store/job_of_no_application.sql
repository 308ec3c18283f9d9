UPDATE job SET app = 7 WHERE number = 1
