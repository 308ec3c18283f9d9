# Batch work per second over that of the same applications without the services, by policy.
# Columns: position, policy, normalised throughput.
set ylabel "batch throughput / without services"
set xrange [0.4:policies + 0.6]
set yrange [0:(top > 1 ? top : 1) * 1.05]
unset key
plot "batch.dat" using 1:3:(0.6):xtic(2) with boxes linecolor rgb "black" fillcolor rgb colour(2) notitle, \
     "batch.dat" using 1:3:(sprintf("%.2f", $3)) with labels offset 0, 0.7 notitle
