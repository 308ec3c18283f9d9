SELECT format('np %.9g goals %g', normalised_progress, s.goals_met) FROM app JOIN system s USING (run) WHERE run = 1 AND app.name = 'b'
