SELECT format('good %.9g of %.9g', server_goodput_per_s, throughput_per_s) FROM app WHERE run = 1
