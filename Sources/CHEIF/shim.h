#ifndef HEARTH_CHEIF_SHIM_H
#define HEARTH_CHEIF_SHIM_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// The part of libheif's interface that Hearth calls (https://github.com/strukturag/libheif, libheif/heif.h, unchanged since 1.7).
// Declared here, so that the package builds where the library is not installed; its functions are looked up when the first picture
// needs them. Some return a structure, which Swift can only call through a declaration in C.

typedef struct hearth_heif_error {
    int code;
    int subcode;
    const char *message;
} hearth_heif_error;

// The beginning of `heif_decoding_options`, which the library allocates.
typedef struct hearth_heif_options {
    uint8_t version;
    uint8_t ignore_transformations;
    void (*progress[3])(void);
    void *progress_user_data;
    // From version 2 on.
    uint8_t convert_hdr_to_8bit;
} hearth_heif_options;

typedef struct hearth_heif_library {
    const char *(*version)(void);
    void *(*context_alloc)(void);
    void (*context_free)(void *);
    hearth_heif_error (*read)(void *, const void *, size_t, const void *);
    hearth_heif_error (*primary)(void *, void **);
    int (*width)(const void *);
    int (*height)(const void *);
    size_t (*profile_size)(const void *);
    hearth_heif_error (*profile)(const void *, void *);
    void (*handle_release)(const void *);
    hearth_heif_options *(*options_alloc)(void);
    void (*options_free)(hearth_heif_options *);
    hearth_heif_error (*decode)(const void *, void **, int, int, const hearth_heif_options *);
    int (*plane_width)(const void *, int);
    int (*plane_height)(const void *, int);
    const uint8_t *(*plane)(const void *, int, int *);
    void (*image_release)(const void *);
} hearth_heif_library;

// Errors of the library: heif_error_Unsupported_filetype, heif_error_Unsupported_feature, and
// heif_suberror_Nonexistent_item_referenced, which older versions report for images in codings that they do not know.
enum { hearth_heif_unsupported_type = 3, hearth_heif_unsupported_feature = 4, hearth_heif_unknown_item = 2000 };

// Takes the functions from a loaded library; the name of one that it does not have, or NULL.
static inline const char *hearth_heif_load(void *handle, hearth_heif_library *library) {
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        {"heif_get_version", &library->version},
        {"heif_context_alloc", &library->context_alloc},
        {"heif_context_free", &library->context_free},
        {"heif_context_read_from_memory_without_copy", &library->read},
        {"heif_context_get_primary_image_handle", &library->primary},
        {"heif_image_handle_get_width", &library->width},
        {"heif_image_handle_get_height", &library->height},
        {"heif_image_handle_get_raw_color_profile_size", &library->profile_size},
        {"heif_image_handle_get_raw_color_profile", &library->profile},
        {"heif_image_handle_release", &library->handle_release},
        {"heif_decoding_options_alloc", &library->options_alloc},
        {"heif_decoding_options_free", &library->options_free},
        {"heif_decode_image", &library->decode},
        {"heif_image_get_width", &library->plane_width},
        {"heif_image_get_height", &library->plane_height},
        {"heif_image_get_plane_readonly", &library->plane},
        {"heif_image_release", &library->image_release},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(handle, functions[i].name);
        if (function == NULL) return functions[i].name;
        memcpy(functions[i].place, &function, sizeof function);
    }
    return NULL;
}

// The main picture of a file, before its pixels are decoded.
typedef struct hearth_heif_picture {
    void *context;
    void *handle;
    // After the file's own rotation and mirroring.
    int width, height;
    // The size of its ICC profile in bytes; 0 if it has none.
    size_t profile_size;
} hearth_heif_picture;

static inline const char *hearth_heif_version(const hearth_heif_library *library) { return library->version(); }

// Reads all but the pixels; `bytes` must outlive the picture. `hearth_heif_close` frees the picture, also after an error, whose code
// is returned (0: none). `message` lives as long as the picture.
static inline int hearth_heif_open(
    const hearth_heif_library *library, const uint8_t *bytes, size_t count, hearth_heif_picture *picture,
    const char **message) {
    *picture = (hearth_heif_picture){.context = library->context_alloc()};
    *message = "out of memory";
    if (picture->context == NULL) return -1;
    hearth_heif_error error = library->read(picture->context, bytes, count, NULL);
    if (error.code == 0) error = library->primary(picture->context, &picture->handle);
    *message = error.message;
    if (error.code != 0) {
        return error.subcode == hearth_heif_unknown_item ? hearth_heif_unsupported_feature : error.code;
    }
    picture->width = library->width(picture->handle);
    picture->height = library->height(picture->handle);
    picture->profile_size = library->profile_size(picture->handle);
    return 0;
}

// Copies the ICC profile, of `profile_size` bytes.
static inline _Bool hearth_heif_profile(
    const hearth_heif_library *library, const hearth_heif_picture *picture, uint8_t *profile) {
    return library->profile(picture->handle, profile).code == 0;
}

// Decodes the pixels, upright, to rows of red, green, blue. The code of an error, 0 if there is none, -1 for another size than the
// picture's; `message` lives as long as the picture.
static inline int hearth_heif_decode(
    const hearth_heif_library *library, const hearth_heif_picture *picture, uint8_t *pixels, const char **message) {
    enum { color_space_rgb = 1, chroma_interleaved_rgb = 10, channel_interleaved = 10 };
    hearth_heif_options *options = library->options_alloc();
    if (options != NULL && options->version >= 2) options->convert_hdr_to_8bit = 1;
    void *image = NULL;
    hearth_heif_error error =
        library->decode(picture->handle, &image, color_space_rgb, chroma_interleaved_rgb, options);
    if (options != NULL) library->options_free(options);
    *message = error.message;
    if (error.code != 0) return error.code;
    int stride = 0;
    const uint8_t *plane = library->plane(image, channel_interleaved, &stride);
    const size_t row = (size_t)picture->width * 3;
    const _Bool fits = plane != NULL && library->plane_width(image, channel_interleaved) == picture->width
        && library->plane_height(image, channel_interleaved) == picture->height && stride >= 0 && (size_t)stride >= row;
    for (int y = 0; fits && y < picture->height; y++) memcpy(pixels + y * row, plane + (size_t)y * (size_t)stride, row);
    library->image_release(image);
    *message = "its headers disagree about its size";
    return fits ? 0 : -1;
}

static inline void hearth_heif_close(const hearth_heif_library *library, hearth_heif_picture *picture) {
    if (picture->handle != NULL) library->handle_release(picture->handle);
    if (picture->context != NULL) library->context_free(picture->context);
    *picture = (hearth_heif_picture){0};
}

#endif
