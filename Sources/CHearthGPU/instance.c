// Vulkan's loader, the devices that it finds, and their properties.
#include "device.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Vulkan 1.2, where addresses of buffers are part of the core.
#define API_VERSION ((1u << 22) | (2u << 12))

struct hearth_vulkan hearth_vulkan;
static pthread_once_t opened = PTHREAD_ONCE_INIT;

static void open_loader(void) {
    static const char *const names[] = {"libvulkan.so.1", "libvulkan.so"};
    hearth_vulkan.status = HEARTH_GPU_NO_LOADER;
    void *library = NULL;
    for (size_t i = 0; library == NULL && i < sizeof names / sizeof names[0]; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    if (library == NULL) return;
    // Written through a pointer: ISO C does not convert object pointers to function pointers.
    VkFunction (*get)(VkInstance, const char *) = NULL;
    VkResult (*create)(const VkInstanceCreateInfo *, const void *, VkInstance *) = NULL;
    *(void **)(void *)&get = dlsym(library, "vkGetInstanceProcAddr");
    if (get == NULL) return;
    create = (VkResult(*)(const VkInstanceCreateInfo *, const void *, VkInstance *))get(NULL, "vkCreateInstance");
    if (create == NULL) return;
    const VkApplicationInfo application = {
        .type = VK_TYPE_APPLICATION, .application = "Hearth", .engine = "Hearth", .api_version = API_VERSION};
    const VkInstanceCreateInfo info = {.type = VK_TYPE_INSTANCE, .application = &application};
    const VkResult result = create(&info, NULL, &hearth_vulkan.instance);
    if (result != VK_SUCCESS) {
        // The loader fails here if there is no driver.
        hearth_vulkan.status = HEARTH_GPU_NO_DEVICE;
        return;
    }
#define LOAD(result, name, parameters) \
    hearth_vulkan.name = (result(*) parameters)get(hearth_vulkan.instance, "vk" #name); \
    if (hearth_vulkan.name == NULL) { \
        hearth_vulkan.status = HEARTH_GPU_UNFIT; \
        return; \
    }
    INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
    hearth_vulkan.status = VK_SUCCESS;
}

hearth_gpu_status hearth_gpu_physical_devices(VkPhysicalDevice *devices, uint32_t *count) {
    pthread_once(&opened, open_loader);
    if (hearth_vulkan.status != VK_SUCCESS) return hearth_vulkan.status;
    *count = HEARTH_GPU_MOST_DEVICES;
    const VkResult result = hearth_vulkan.EnumeratePhysicalDevices(hearth_vulkan.instance, count, devices);
    if (result != VK_SUCCESS && result != VK_INCOMPLETE) return result;
    return *count > 0 ? VK_SUCCESS : HEARTH_GPU_NO_DEVICE;
}

int hearth_gpu_compute_family(VkPhysicalDevice device) {
    VkQueueFamilyProperties families[32];
    uint32_t count = sizeof families / sizeof families[0];
    hearth_vulkan.GetPhysicalDeviceQueueFamilyProperties(device, &count, families);
    int best = -1;
    for (uint32_t i = 0; i < count; i++) {
        if (!(families[i].flags & VK_QUEUE_COMPUTE) || families[i].count == 0) continue;
        if (best < 0 || !(families[i].flags & VK_QUEUE_GRAPHICS)) best = (int)i;
        if (!(families[i].flags & VK_QUEUE_GRAPHICS)) break;
    }
    return best;
}

int hearth_gpu_copy_family(VkPhysicalDevice device) {
    VkQueueFamilyProperties families[32];
    uint32_t count = sizeof families / sizeof families[0];
    hearth_vulkan.GetPhysicalDeviceQueueFamilyProperties(device, &count, families);
    // Queues of video and the like may copy as well, and are left to those.
    const uint32_t others = ~(uint32_t)(VK_QUEUE_COPY | VK_QUEUE_SPARSE | VK_QUEUE_PROTECTED);
    for (uint32_t i = 0; i < count; i++) {
        if (families[i].flags & VK_QUEUE_COPY && !(families[i].flags & others) && families[i].count > 0) return (int)i;
    }
    return -1;
}

bool hearth_gpu_has_extension(VkPhysicalDevice device, const char *name) {
    uint32_t count = 0;
    if (hearth_vulkan.EnumerateDeviceExtensionProperties(device, NULL, &count, NULL) != VK_SUCCESS) return false;
    VkExtensionProperties *all = calloc(count > 0 ? count : 1, sizeof *all);
    bool is_there = false;
    if (all != NULL && hearth_vulkan.EnumerateDeviceExtensionProperties(device, NULL, &count, all) >= VK_SUCCESS) {
        for (uint32_t i = 0; i < count && !is_there; i++) is_there = strcmp(all[i].name, name) == 0;
    }
    free(all);
    return is_there;
}

// Whether and how the device reads memory of this process in place. A discrete GPU would read it over the bus.
static void describe_import(VkPhysicalDevice device, hearth_gpu_info *info) {
    if (info->kind != HEARTH_GPU_INTEGRATED && info->kind != HEARTH_GPU_SOFTWARE) return;
    if (!hearth_gpu_has_extension(device, HEARTH_GPU_IMPORT_EXTENSION)) return;
    const VkPhysicalDeviceExternalBufferInfo question = {
        .type = VK_TYPE_BUFFER_QUESTION, .usage = HEARTH_GPU_BUFFER_USAGE, .handle = VK_HANDLE_HOST_ALLOCATION};
    VkExternalBufferProperties answer = {.type = VK_TYPE_BUFFER_ANSWER};
    hearth_vulkan.GetPhysicalDeviceExternalBufferProperties(device, &question, &answer);
    if (!(answer.features & VK_EXTERNAL_IMPORTABLE)) return;
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {.type = VK_TYPE_IMPORT_LIMITS};
    VkPhysicalDeviceMaintenance3Properties most = {.type = VK_TYPE_ALLOCATION_LIMITS, .next = &host};
    VkPhysicalDeviceProperties2 all = {.type = VK_TYPE_PROPERTIES, .next = &most};
    hearth_vulkan.GetPhysicalDeviceProperties2(device, &all);
    info->import_alignment = host.alignment;
    info->import_bytes = most.bytes;
}

// Threads of a subgroup that reduces values in compute shaders; 0 if it does not, or is too small for that to help.
static uint32_t reducing_size(const VkPhysicalDeviceSubgroupProperties *subgroups) {
    const uint32_t needed = VK_SUBGROUP_BASIC | VK_SUBGROUP_ARITHMETIC;
    const bool reduces = subgroups->stages & VK_SHADER_COMPUTE && (subgroups->operations & needed) == needed;
    return reduces && subgroups->size >= 4 ? subgroups->size : 0;
}

void hearth_gpu_describe(VkPhysicalDevice device, hearth_gpu_info *info) {
    memset(info, 0, sizeof *info);
    VkPhysicalDeviceSubgroupProperties subgroups = {.type = VK_TYPE_SUBGROUPS};
    VkPhysicalDeviceDriverProperties driver = {.type = VK_TYPE_DRIVER, .next = &subgroups};
    VkPhysicalDeviceProperties2 all = {.type = VK_TYPE_PROPERTIES, .next = &driver};
    hearth_vulkan.GetPhysicalDeviceProperties2(device, &all);
    const VkPhysicalDeviceProperties *p = &all.properties;
    memcpy(info->name, p->name, sizeof info->name - 1);
    memcpy(info->driver, driver.name, sizeof info->driver - 1);
    memcpy(info->driver_info, driver.info, sizeof info->driver_info - 1);
    memcpy(info->cache_id, p->cache_id, sizeof info->cache_id);
    info->driver_version = p->driver_version;
    info->api_version = p->api_version;
    info->vendor = p->vendor;
    info->device = p->device;
    info->kind = p->kind <= HEARTH_GPU_SOFTWARE ? (hearth_gpu_kind)p->kind : HEARTH_GPU_OTHER;
    VkPhysicalDeviceMemoryProperties memory;
    hearth_vulkan.GetPhysicalDeviceMemoryProperties(device, &memory);
    for (uint32_t i = 0; i < memory.heap_count; i++) {
        if (memory.heaps[i].flags & VK_HEAP_DEVICE_LOCAL && memory.heaps[i].bytes > info->memory_bytes) {
            info->memory_bytes = memory.heaps[i].bytes;
        }
    }
    if (p->api_version < API_VERSION || hearth_gpu_compute_family(device) < 0) return;
    VkPhysicalDeviceBufferDeviceAddressFeatures addresses = {.type = VK_TYPE_ADDRESS_FEATURES};
    VkPhysicalDeviceFeatures2 features = {.type = VK_TYPE_FEATURES, .next = &addresses};
    hearth_vulkan.GetPhysicalDeviceFeatures2(device, &features);
    info->is_fit = addresses.has_addresses != 0;
    info->subgroup_size = reducing_size(&subgroups);
    describe_import(device, info);
}

hearth_gpu_status hearth_gpu_list(hearth_gpu_info *infos, size_t most, size_t *count) {
    VkPhysicalDevice devices[HEARTH_GPU_MOST_DEVICES];
    uint32_t found = 0;
    *count = 0;
    const hearth_gpu_status status = hearth_gpu_physical_devices(devices, &found);
    if (status != VK_SUCCESS) return status;
    for (uint32_t i = 0; i < found && i < most; i++) hearth_gpu_describe(devices[i], &infos[i]);
    *count = found < most ? found : most;
    return VK_SUCCESS;
}
