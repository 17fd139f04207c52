// Pipelines of a device, the layout that they share, and their cache.
#include "device.h"

#include <stdlib.h>

// Bytes of arguments that a dispatch may pass.
enum { ARGUMENT_BYTES = 128 };

hearth_gpu_status hearth_gpu_pipelines_open(hearth_gpu *g, const void *cache, size_t cache_bytes) {
    const VkPushConstantRange range = {.stages = VK_SHADER_COMPUTE, .bytes = ARGUMENT_BYTES};
    const VkPipelineLayoutCreateInfo layout = {
        .type = VK_TYPE_PIPELINE_LAYOUT, .range_count = 1, .ranges = &range};
    VkResult result = g->CreatePipelineLayout(g->device, &layout, NULL, &g->layout);
    if (result != VK_SUCCESS) return result;
    VkPipelineCacheCreateInfo kept = {.type = VK_TYPE_PIPELINE_CACHE, .bytes = cache_bytes, .data = cache};
    result = g->CreatePipelineCache(g->device, &kept, NULL, &g->cache);
    if (result != VK_SUCCESS && cache_bytes > 0) {
        // A driver may refuse what it wrote itself, after an update for instance: begin with an empty cache.
        (kept.bytes = 0, kept.data = NULL);
        result = g->CreatePipelineCache(g->device, &kept, NULL, &g->cache);
    }
    return result;
}

void hearth_gpu_pipelines_close(hearth_gpu *g) {
    if (g->cache) g->DestroyPipelineCache(g->device, g->cache, NULL);
    if (g->layout) g->DestroyPipelineLayout(g->device, g->layout, NULL);
}

hearth_gpu_status hearth_gpu_cache(hearth_gpu *g, void *data, size_t *bytes) {
    return g->is_lost ? VK_ERROR_DEVICE_LOST : g->GetPipelineCacheData(g->device, g->cache, bytes, data);
}

enum { MOST_CONSTANTS = 8 };

hearth_gpu_status hearth_gpu_pipeline_make(
    hearth_gpu *g, const uint32_t *words, size_t byte_count, const uint32_t *constants, size_t constant_count,
    hearth_gpu_pipeline **pipeline) {
    if (constant_count > MOST_CONSTANTS) return HEARTH_GPU_UNFIT;
    const VkShaderModuleCreateInfo code = {.type = VK_TYPE_SHADER_MODULE, .bytes = byte_count, .words = words};
    VkHandle module = 0;
    VkResult result = g->CreateShaderModule(g->device, &code, NULL, &module);
    if (result != VK_SUCCESS) return result;
    VkSpecializationMapEntry entries[MOST_CONSTANTS];
    const uint32_t count = (uint32_t)constant_count;
    for (uint32_t i = 0; i < count; i++) entries[i] = (VkSpecializationMapEntry){i, 4 * i, 4};
    const VkSpecializationInfo specialization = {
        .entry_count = count, .entries = entries, .bytes = 4 * (size_t)count, .data = constants};
    const VkComputePipelineCreateInfo info = {
        .type = VK_TYPE_COMPUTE_PIPELINE,
        .stage = {
            .type = VK_TYPE_STAGE, .stage = VK_SHADER_COMPUTE, .module = module, .entry = "main",
            .specialization = &specialization},
        .layout = g->layout, .base_index = -1};
    hearth_gpu_pipeline *made = calloc(1, sizeof *made);
    result = made == NULL ? -1 : g->CreateComputePipelines(g->device, g->cache, 1, &info, NULL, &made->pipeline);
    g->DestroyShaderModule(g->device, module, NULL);
    if (result != VK_SUCCESS) {
        free(made);
        return result < 0 ? result : HEARTH_GPU_UNFIT;
    }
    *pipeline = made;
    return VK_SUCCESS;
}

void hearth_gpu_pipeline_free(hearth_gpu *g, hearth_gpu_pipeline *pipeline) {
    if (!g->is_lost) g->DestroyPipeline(g->device, pipeline->pipeline, NULL);
    free(pipeline);
}
