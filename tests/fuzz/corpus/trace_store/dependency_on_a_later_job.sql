UPDATE dependency SET on_task = 1 WHERE task = 5
