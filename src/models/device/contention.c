#include "models/device/contention.h"

static double at_most(double number, double most) {
    return number < most ? number : most;
}

struct contention_loss contention_loss(const struct gpu *gpu, const struct contention_load *load) {
    if (load->presence == 0)
        return (struct contention_loss){0.0, 0.0};
    double pressure = at_most(load->pressure, CONTENTION_PRESSURE_MOST);
    double room = 1.0 - at_most(load->dram, CONTENTION_DRAM_MOST);
    return (struct contention_loss){.bandwidth =
                                        load->sensitivity * gpu->contention_k * pressure / room,
                                    .sm = load->sensitivity * gpu->contention_k0 * load->presence};
}

double contention_slowdown(const struct gpu *gpu, const struct contention_load *load) {
    struct contention_loss loss = contention_loss(gpu, load);
    return 1.0 + loss.bandwidth + loss.sm;
}

ct_time_ps contention_launch_delay(const struct gpu *gpu, uint32_t others) {
    return ct_time_round(gpu->launch_delay_us * (double)CT_PS_PER_US * (double)others);
}
