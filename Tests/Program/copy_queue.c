// A libvulkan in front of the system's ($REAL_VULKAN): devices with one family of queues get a second one that only copies, as
// discrete cards have. Both are the same queue. The file $FOUND says what was made for the second family.
#include "vulkan.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COPIES = 1 };

static VkFunction (*instance_function)(VkInstance, const char *);
static VkFunction (*device_function)(VkDevice, const char *);
static void (*families)(VkPhysicalDevice, uint32_t *, VkQueueFamilyProperties *);
static VkResult (*create_device)(VkPhysicalDevice, const VkDeviceCreateInfo *, const void *, VkDevice *);
static void (*get_queue)(VkDevice, uint32_t, uint32_t, VkQueue *);
static VkResult (*create_pool)(VkDevice, const VkCommandPoolCreateInfo *, const void *, VkHandle *);
static VkResult (*create_buffer)(VkDevice, const VkBufferCreateInfo *, const void *, VkHandle *);
static VkResult (*submit)(VkQueue, uint32_t, const VkSubmitInfo *, VkHandle);
static bool is_added;  // false for devices with more families, which are left alone
static int devices, queues, pools, buffers, copies;

// After each device and copy: the program may end without calling destructors.
static void report(void) {
    const char *path = getenv("FOUND");
    FILE *file = path == NULL ? NULL : fopen(path, "w");
    if (file == NULL) return;
    fprintf(
        file, "{\"devices\": %d, \"queues\": %d, \"pools\": %d, \"buffers\": %d, \"copies\": %d}\n", devices, queues, pools,
        buffers, copies);
    fclose(file);
}

static void my_families(VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties *all) {
    const uint32_t room = *count;
    families(device, count, all);
    if (*count != COPIES || room <= COPIES) return;
    all[COPIES] = all[0];
    all[COPIES].flags = VK_QUEUE_COPY;
    all[COPIES].count = 1;
    *count = COPIES + 1;
    is_added = true;
}

static VkResult my_create_device(
    VkPhysicalDevice physical, const VkDeviceCreateInfo *info, const void *allocator, VkDevice *device) {
    VkDeviceCreateInfo one = *info;
    if (!is_added) return create_device(physical, info, allocator, device);
    if (info->queue_count == 2 && info->queues[0].family == 0 && info->queues[1].family == COPIES) devices++;
    one.queue_count = 1;
    report();
    return create_device(physical, &one, allocator, device);
}

static void my_get_queue(VkDevice device, uint32_t family, uint32_t number, VkQueue *queue) {
    queues += is_added && family == COPIES;
    get_queue(device, is_added ? 0 : family, number, queue);
}

static VkResult my_create_pool(VkDevice device, const VkCommandPoolCreateInfo *info, const void *allocator, VkHandle *pool) {
    VkCommandPoolCreateInfo first = *info;
    if (is_added) {
        pools += info->family == COPIES;
        first.family = 0;
    }
    return create_pool(device, &first, allocator, pool);
}

static VkResult my_create_buffer(VkDevice device, const VkBufferCreateInfo *info, const void *allocator, VkHandle *buffer) {
    VkBufferCreateInfo own = *info;
    if (is_added && info->sharing == VK_SHARING_CONCURRENT) {
        buffers += info->family_count == 2 && info->families[0] == 0 && info->families[1] == COPIES;
        own.sharing = own.family_count = 0;
    }
    return create_buffer(device, &own, allocator, buffer);
}

static VkResult my_submit(VkQueue queue, uint32_t count, const VkSubmitInfo *info, VkHandle fence) {
    // Those of the stream signal a semaphore, and have no fence.
    if (fence == 0 && info->signal_count == 1) {
        copies++;
        report();
    }
    return submit(queue, count, info, fence);
}

// The function `name`, in its place `mine` if it is `wanted`.
#define REPLACE(wanted, theirs, mine) \
    if (strcmp(name, wanted) == 0) { \
        *(VkFunction *)(void *)&theirs = found; \
        return (VkFunction)mine; \
    }

static VkFunction my_device_function(VkDevice device, const char *name) {
    const VkFunction found = device_function(device, name);
    REPLACE("vkGetDeviceQueue", get_queue, my_get_queue)
    REPLACE("vkCreateCommandPool", create_pool, my_create_pool)
    REPLACE("vkCreateBuffer", create_buffer, my_create_buffer)
    REPLACE("vkQueueSubmit", submit, my_submit)
    return found;
}

VkFunction vkGetInstanceProcAddr(VkInstance instance, const char *name) {
    if (instance_function == NULL) {
        const char *path = getenv("REAL_VULKAN");
        void *library = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) return NULL;
        *(void **)(void *)&instance_function = dlsym(library, "vkGetInstanceProcAddr");
    }
    const VkFunction found = instance_function(instance, name);
    REPLACE("vkGetPhysicalDeviceQueueFamilyProperties", families, my_families)
    REPLACE("vkCreateDevice", create_device, my_create_device)
    REPLACE("vkGetDeviceProcAddr", device_function, my_device_function)
    return found;
}
