UPDATE decision_kind SET verb = NULL
UPDATE sample SET name = NULL
