/* A policy that was built for interface 1: its struct had other members and another size, and only
 * the first two may be looked at. */
#include <stdint.h>

struct first_policy {
    uint32_t abi, size;
    const char *name;
};

__attribute__((visibility("default"))) const struct first_policy *ct_policy_entry(void);

const struct first_policy *ct_policy_entry(void) {
    static const struct first_policy policy = {1, sizeof policy, "first-abi"};
    return &policy;
}
