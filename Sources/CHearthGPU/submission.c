// Commands: recorded, submitted to the queue, and waited for.
#include "device.h"

hearth_gpu_status hearth_gpu_submission_open(hearth_gpu *g) {
    g->GetDeviceQueue(g->device, g->families[0], 0, &g->queue);
    const VkCommandPoolCreateInfo pool = {.type = VK_TYPE_COMMAND_POOL, .family = g->families[0]};
    VkResult result = g->CreateCommandPool(g->device, &pool, NULL, &g->pool);
    if (result != VK_SUCCESS) return result;
    const VkCommandBufferAllocateInfo commands = {.type = VK_TYPE_COMMAND_BUFFER, .pool = g->pool, .count = 1};
    if ((result = g->AllocateCommandBuffers(g->device, &commands, &g->commands)) != VK_SUCCESS) return result;
    const VkFenceCreateInfo fence = {.type = VK_TYPE_FENCE};
    return g->CreateFence(g->device, &fence, NULL, &g->fence);
}

void hearth_gpu_submission_close(hearth_gpu *g) {
    if (g->fence) g->DestroyFence(g->device, g->fence, NULL);
    if (g->pool) g->DestroyCommandPool(g->device, g->pool, NULL);
}

hearth_gpu_status hearth_gpu_begin(hearth_gpu *g) {
    if (g->is_lost) return VK_ERROR_DEVICE_LOST;
    const VkResult result = g->ResetCommandPool(g->device, g->pool, 0);
    if (result != VK_SUCCESS) return result;
    const VkCommandBufferBeginInfo info = {.type = VK_TYPE_BEGIN, .flags = 1};
    (g->bound = 0, g->is_empty = true);
    return g->BeginCommandBuffer(g->commands, &info);
}

// Makes what earlier commands wrote visible to the next one. What the processor wrote before the submission is visible anyway.
static void wait_for_all(hearth_gpu *g) {
    if (g->is_empty) {
        g->is_empty = false;
        return;
    }
    const VkMemoryBarrier barrier = {
        .type = VK_TYPE_BARRIER, .from = VK_ACCESS_SHADER_WRITE | VK_ACCESS_COPY_WRITE,
        .to = VK_ACCESS_SHADER_READ | VK_ACCESS_SHADER_WRITE | VK_ACCESS_COPY_READ | VK_ACCESS_COPY_WRITE};
    const uint32_t stages = VK_STAGE_COMPUTE | VK_STAGE_COPY;
    g->CmdPipelineBarrier(g->commands, stages, stages, 0, 1, &barrier, 0, NULL, 0, NULL);
}

void hearth_gpu_dispatch(
    hearth_gpu *g, const hearth_gpu_pipeline *pipeline, const void *arguments, uint32_t argument_bytes, uint32_t x,
    uint32_t y) {
    if (x == 0 || y == 0) return;
    wait_for_all(g);
    if (g->bound != pipeline->pipeline) g->CmdBindPipeline(g->commands, 1, pipeline->pipeline);
    g->bound = pipeline->pipeline;
    g->CmdPushConstants(g->commands, g->layout, VK_SHADER_COMPUTE, 0, argument_bytes, arguments);
    g->CmdDispatch(g->commands, x, y, 1);
}

void hearth_gpu_beside(hearth_gpu *g) { g->is_empty = true; }

void hearth_gpu_copy(
    hearth_gpu *g, const hearth_gpu_memory *from, uint64_t from_offset, const hearth_gpu_memory *to,
    uint64_t to_offset, uint64_t byte_count) {
    if (byte_count == 0) return;
    wait_for_all(g);
    const VkBufferCopy copy = {from_offset, to_offset, byte_count};
    g->CmdCopyBuffer(g->commands, from->buffer, to->buffer, 1, &copy);
}

VkResult hearth_gpu_submit(hearth_gpu *g, VkQueue queue, const VkSubmitInfo *info, VkHandle fence) {
    pthread_mutex_lock(&g->submitting);
    const VkResult result = g->QueueSubmit(queue, 1, info, fence);
    pthread_mutex_unlock(&g->submitting);
    return result;
}

hearth_gpu_status hearth_gpu_run(hearth_gpu *g, uint64_t after, uint64_t timeout_nanoseconds) {
    const VkMemoryBarrier barrier = {
        .type = VK_TYPE_BARRIER, .from = VK_ACCESS_SHADER_WRITE | VK_ACCESS_COPY_WRITE, .to = VK_ACCESS_HOST_READ};
    g->CmdPipelineBarrier(
        g->commands, VK_STAGE_COMPUTE | VK_STAGE_COPY, VK_STAGE_HOST, 0, 1, &barrier, 0, NULL, 0, NULL);
    VkResult result = g->EndCommandBuffer(g->commands);
    if (result == VK_SUCCESS) result = g->ResetFences(g->device, 1, &g->fence);
    if (result != VK_SUCCESS) return result;
    // What one submission waited for, later ones see as well.
    const bool waits = after > g->seen;
    const uint32_t stages = VK_STAGE_COMPUTE | VK_STAGE_COPY;
    const VkTimelineSemaphoreSubmitInfo value = {.type = VK_TYPE_TIMELINE_SUBMIT, .wait_count = 1, .waits = &after};
    const VkSubmitInfo info = {
        .type = VK_TYPE_SUBMIT, .next = waits ? &value : NULL, .wait_count = waits, .waits = &g->stream.done,
        .stages = &stages, .buffer_count = 1, .buffers = &g->commands};
    result = hearth_gpu_submit(g, g->queue, &info, g->fence);
    if (result == VK_ERROR_DEVICE_LOST) g->is_lost = true;
    if (result != VK_SUCCESS) return result;
    if (waits) g->seen = after;
    // No time at all has always passed, however quick the device was.
    result = timeout_nanoseconds == 0
        ? VK_TIMEOUT : g->WaitForFences(g->device, 1, &g->fence, 1, timeout_nanoseconds);
    // Also after another failure, such as of memory, the commands may still run: nobody knows when what they use is free.
    if (result != VK_SUCCESS) g->is_lost = true;
    return result == VK_TIMEOUT ? HEARTH_GPU_TIMEOUT : result;
}

bool hearth_gpu_is_lost(const hearth_gpu *g) { return g->is_lost; }
