UPDATE dependency SET on_task = 2
