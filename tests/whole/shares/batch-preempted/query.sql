SELECT format('busy %.9g', batch_busy_fraction) FROM system
