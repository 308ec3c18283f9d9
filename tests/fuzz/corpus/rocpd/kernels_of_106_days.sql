UPDATE OR REPLACE rocpd_kernel_dispatch_a SET end = 9007199254740993 WHERE grid_size_z = 1
