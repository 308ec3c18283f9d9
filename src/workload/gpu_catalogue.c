#include "workload/gpu_catalogue.h"

#include "format/json_place.h"
#include "workload/share_find.h"
#include "workload/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_names(struct json_place *place, const json_t *root, void *into) {
    struct gpu_name *gpu = into;
    const char *title = json_string_value(json_object_get(root, "title"));
    const json_t *array = json_object_get(root, "also");
    size_t count = json_array_size(array);
    const char **also = json_place_take(place, count + 1, sizeof *also);
    for (size_t i = 0; also && i < count; i++) {
        const char *text = json_string_value(json_array_get(array, i));
        also[i] = json_place_keep(place, text ? text : "");
    }
    gpu->also = also;
    gpu->compute_capability = (int)json_integer_value(json_object_get(root, "compute_capability"));
    gpu->sms = json_number_value(json_object_get(root, "sms"));
    gpu->memory_gib = json_number_value(json_object_get(root, "memory_gib"));
    gpu->dram_gb_s = json_number_value(json_object_get(root, "dram_gb_s"));
    gpu->title = json_place_keep(place, title ? title : "");
}

/* What a preset that ships is called is known without its file; NULL: a share folder of the user's
 * own may hold another one of that name. */
static const struct gpu_name *shipped(const char *name) {
    const char *own = getenv("COTENANT_SHARE");
    for (size_t i = 0; !(own && *own) && i < gpu_names_shipped.count; i++)
        if (strcmp(gpu_names_shipped.items[i].name, name) == 0)
            return &gpu_names_shipped.items[i];
    return NULL;
}

static bool read_file(const char *name, struct gpu_name *gpu, struct ct_arena *arena,
                      struct ct_diags *diags) {
    const char *path = gpu_catalogue_file(name, arena, NULL);
    gpu->name = name;
    return path && json_place_read(path, read_names, gpu, arena, diags) == CT_OK;
}

int gpu_catalogue_read(struct ct_arena *arena, struct gpu_name_list *list) {
    const char *const *names;
    size_t count;
    *list = (struct gpu_name_list){0};
    if (share_list(arena, "gpus", ".json", &names, &count) != CT_OK)
        return CT_DATA;
    struct gpu_name *items = ct_arena_array(arena, count + 1, sizeof *items);
    bool lost = !items;
    for (size_t i = 0; i < count && !lost; i++) {
        struct ct_diags unheard = {0};
        const struct gpu_name *known = shipped(names[i]);
        if (known)
            items[list->count++] = *known;
        else if (read_file(names[i], &items[list->count], arena, &unheard))
            list->count++;
        lost = unheard.no_memory;
        ct_diags_free(&unheard);
    }
    list->items = items;
    return lost ? CT_DATA : CT_OK;
}

const char *gpu_catalogue_file(const char *name, struct ct_arena *arena,
                               const struct ct_files *files) {
    char file[128];
    snprintf(file, sizeof file, "%s.json", name);
    return share_find(arena, files, "gpus", file, NULL);
}

const char *gpu_catalogue_find(const char *text, const char *where, struct ct_arena *arena,
                               struct ct_diags *diags) {
    struct gpu_name_list list;
    char others[200];
    if (gpu_catalogue_file(text, arena, diags->files))
        return text;
    if (gpu_catalogue_read(arena, &list) != CT_OK) {
        ct_out_of_memory(diags);
        return NULL;
    }
    const struct gpu_name *gpu = gpu_names_find(&list, text, others, sizeof others);
    if (gpu && *others)
        ct_notice(diags, where, "'%s' is taken for '%s', the %s; it could also mean: %s", text,
                  gpu->name, gpu->title, others);
    return gpu ? gpu->name : NULL;
}

int gpu_catalogue_none(struct ct_arena *arena, struct ct_diags *diags) {
    const char *places = share_places(arena, "gpus");
    return places ? ct_data_error(diags, "", "no GPU presets found: looked in %s", places)
                  : ct_out_of_memory(diags);
}

int gpu_catalogue_unknown(const char *text, const char *where, struct ct_arena *arena,
                          struct ct_diags *diags) {
    struct gpu_name_list list;
    if (gpu_catalogue_read(arena, &list) != CT_OK)
        return ct_out_of_memory(diags);
    if (list.count == 0)
        return gpu_catalogue_none(arena, diags);
    const char *closest = gpu_names_closest(&list, text);
    if (closest)
        ct_error(diags, where, "unknown gpu '%s', did you mean '%s'?", text, closest);
    else
        ct_error(diags, where, "unknown gpu '%s'; 'cotenant list gpus' shows the presets", text);
    return CT_USAGE;
}
