#include "study/prices.h"

#include "format/json_place.h"
#include "workload/setup.h"

#include <math.h>
#include <string.h>

bool price_is_sound(double per_h) {
    return per_h >= 0 && per_h < 1e9;
}

static void read_price(struct json_place *place, const char *name, const json_t *value,
                       struct prices *prices) {
    const struct workload_settings none = {0};
    struct gpu gpu;
    int status = setup_gpu(name, place->file, &none, place->arena, &gpu, place->diags);
    if (status != CT_OK)
        json_place_fail(place, status);
    else if (!json_is_number(value) || !price_is_sound(json_number_value(value)))
        json_place_error(place, name, "is no price per hour");
    else if (!isnan(prices_of(prices, gpu.name)))
        json_place_error(place, name, "is another price of '%s'", gpu.name);
    else if (!ct_vec_push(prices, (struct price){gpu.name, json_number_value(value)}))
        json_place_no_memory(place);
}

static void read_all(struct json_place *place, const json_t *root, void *prices) {
    const char *name;
    const json_t *value;
    json_object_foreach((json_t *)root, name, value) {
        if (place->status == CT_OK)
            read_price(place, name, value, prices);
    }
}

int prices_read(const char *path, struct prices *prices, struct ct_arena *arena,
                struct ct_diags *diags) {
    return json_place_read(path, read_all, prices, arena, diags);
}

double prices_of(const struct prices *prices, const char *gpu) {
    for (size_t i = 0; i < prices->count; i++)
        if (strcmp(prices->items[i].gpu, gpu) == 0)
            return prices->items[i].per_h;
    return NAN;
}

double price_per_million(double price_per_h, double requests_per_s) {
    return requests_per_s > 0 ? price_per_h / (requests_per_s * 3600) * 1e6 : NAN;
}
