UPDATE curve SET share_per_mille = 900 WHERE share_per_mille = 1000
