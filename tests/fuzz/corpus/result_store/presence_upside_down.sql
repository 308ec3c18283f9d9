UPDATE presence SET first_sm = 40, last_sm = 3
