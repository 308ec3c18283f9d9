UPDATE decision SET instance = (-9223372036854775807 - 1)
