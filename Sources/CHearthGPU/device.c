// Opens and closes devices.
#include "device.h"

#include <stdlib.h>

hearth_gpu_status hearth_gpu_open(size_t number, const void *cache, size_t cache_bytes, hearth_gpu **device) {
    VkPhysicalDevice devices[HEARTH_GPU_MOST_DEVICES];
    uint32_t found = 0;
    hearth_gpu_status status = hearth_gpu_physical_devices(devices, &found);
    if (status != VK_SUCCESS) return status;
    if (number >= found) return HEARTH_GPU_NO_DEVICE;
    hearth_gpu_info info;
    hearth_gpu_describe(devices[number], &info);
    const int family = hearth_gpu_compute_family(devices[number]);
    if (!info.is_fit || family < 0) return HEARTH_GPU_UNFIT;

    hearth_gpu *g = calloc(1, sizeof *g);
    if (g == NULL) return -1;
    g->physical = devices[number];
    pthread_mutex_init(&g->submitting, NULL);
    const int copies = hearth_gpu_copy_family(devices[number]);
    g->families[0] = (uint32_t)family;
    g->families[1] = copies < 0 ? (uint32_t)family : (uint32_t)copies;
    hearth_vulkan.GetPhysicalDeviceMemoryProperties(g->physical, &g->memory);
    const float priority = 1;
    const VkDeviceQueueCreateInfo queues[2] = {
        {.type = VK_TYPE_QUEUE, .family = g->families[0], .count = 1, .priorities = &priority},
        {.type = VK_TYPE_QUEUE, .family = g->families[1], .count = 1, .priorities = &priority}};
    // Every device of Vulkan 1.2 has timelines.
    VkPhysicalDeviceTimelineSemaphoreFeatures timelines = {.type = VK_TYPE_TIMELINE_FEATURES, .has_timelines = 1};
    const VkPhysicalDeviceBufferDeviceAddressFeatures addresses = {
        .type = VK_TYPE_ADDRESS_FEATURES, .next = &timelines, .has_addresses = 1};
    const char *const extensions[] = {HEARTH_GPU_IMPORT_EXTENSION};
    const VkDeviceCreateInfo create = {
        .type = VK_TYPE_DEVICE, .next = &addresses, .queue_count = copies < 0 ? 1 : 2, .queues = queues,
        .extension_count = info.import_alignment > 0, .extensions = extensions};
    status = hearth_vulkan.CreateDevice(devices[number], &create, NULL, &g->device);
    if (status != VK_SUCCESS) {
        pthread_mutex_destroy(&g->submitting);
        free(g);
        return status;
    }
#define LOAD(result, name, parameters) \
    g->name = (result(*) parameters)hearth_vulkan.GetDeviceProcAddr(g->device, "vk" #name); \
    if (g->name == NULL) status = HEARTH_GPU_UNFIT;
    DEVICE_FUNCTIONS(LOAD)
#undef LOAD
    if (info.import_alignment > 0) {
        g->GetMemoryHostPointerPropertiesEXT = (import_types *)hearth_vulkan.GetDeviceProcAddr(
            g->device, "vkGetMemoryHostPointerPropertiesEXT");
    }
    if (status == VK_SUCCESS) status = hearth_gpu_pipelines_open(g, cache, cache_bytes);
    if (status == VK_SUCCESS) status = hearth_gpu_submission_open(g);
    if (status == VK_SUCCESS) status = hearth_gpu_stream_open(g);
    if (status != VK_SUCCESS) {
        hearth_gpu_close(g);
        return status;
    }
    *device = g;
    return VK_SUCCESS;
}

void hearth_gpu_close(hearth_gpu *g) {
    // Objects that are in use must not be destroyed, and waiting for work that hangs would hang as well.
    if (!g->is_lost && g->DestroyDevice != NULL) {
        hearth_gpu_stream_close(g);
        hearth_gpu_submission_close(g);
        hearth_gpu_pipelines_close(g);
        g->DestroyDevice(g->device, NULL);
    }
    pthread_mutex_destroy(&g->submitting);
    free(g);
}
