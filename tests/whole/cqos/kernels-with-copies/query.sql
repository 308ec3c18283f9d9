SELECT format('%g', value) FROM v_notes WHERE key = 'value' ORDER BY decision
