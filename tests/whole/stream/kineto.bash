# For `prepare`: a PyTorch recording in pieces, times in microseconds. Kernels have 160 blocks of 1024 threads.
kernel() { # LAUNCH START DURATION STREAM NUMBER
    printf ',{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":%s,"dur":1,"args":{"correlation":%s}}' "$1" "$5"
    printf ',{"ph":"X","cat":"kernel","name":"k%s","pid":0,"tid":7,"ts":%s,"dur":%s,"args":{"device":0,"context":1,' "$5" "$2" "$3"
    printf '"stream":%s,"correlation":%s,"registers per thread":32,"shared memory":0,"grid":[160,1,1],"block":[1024,1,1]}}' "$4" "$5"
}
range() { printf ',{"ph":"X","cat":"user_annotation","name":"%s","pid":1,"tid":1,"ts":%s,"dur":%s}' "$@"; } # NAME BEGIN DURATION
recording() { printf '{"deviceProperties":[{"id":0,"name":"Tesla V100-SXM2-32GB"}],"traceEvents":[{"ph":"M","name":"process_name","pid":1}'; }
memory_work() { # CATEGORY NAME CALL LAUNCH START DURATION STREAM NUMBER
    printf ',{"ph":"X","cat":"cuda_runtime","name":"%s","pid":1,"tid":1,"ts":%s,"dur":1,"args":{"correlation":%s}}' "$3" "$4" "$8"
    printf ',{"ph":"X","cat":"%s","name":"%s","pid":0,"tid":7,"ts":%s,"dur":%s,"args":{"device":0,"context":1,' "$1" "$2" "$5" "$6"
    printf '"stream":%s,"correlation":%s,"bytes":1000000}}' "$7" "$8"
}
memset() { memory_work gpu_memset 'Memset (Device)' cudaMemsetAsync "$@"; }                               # LAUNCH START DURATION STREAM NUMBER
device_copy() { memory_work gpu_memcpy 'Memcpy DtoD (Device -> Device)' cudaMemcpyAsync "$@"; } # the same
