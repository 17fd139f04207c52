#ifndef HEARTH_CPNG_SHIM_H
#define HEARTH_CPNG_SHIM_H

#include <dlfcn.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

// Types and constants come from libpng's header; its functions are looked up when the first PNG needs them, and nothing here
// may refer to one by its name: that would make every start of the program load the library.
//
// The library reports errors by a jump out of its functions, which Swift cannot take part in. (Its simplified functions
// return instead, but those of some versions decode interlaced pictures of 16 bits wrongly or write beyond their end.)

typedef struct hearth_png_library {
    png_structp (*create)(png_const_charp, png_voidp, png_error_ptr, png_error_ptr);
    png_infop (*create_info)(png_const_structrp);
    void (*destroy)(png_structpp, png_infopp, png_infopp);
    void (*set_read)(png_structrp, png_voidp, png_rw_ptr);
    void (*read_info)(png_structrp, png_inforp);
    void (*expand)(png_structrp);
    void (*scale_16)(png_structrp);
    void (*strip_alpha)(png_structrp);
    int (*interlace)(png_structrp);
    void (*update)(png_structrp, png_inforp);
    png_uint_32 (*width)(png_const_structrp, png_const_inforp);
    png_uint_32 (*height)(png_const_structrp, png_const_inforp);
    size_t (*row_bytes)(png_const_structrp, png_const_inforp);
    void (*read_row)(png_structrp, png_bytep, png_bytep);
    void (*read_end)(png_structrp, png_inforp);
    png_const_charp (*version)(png_const_structrp);
} hearth_png_library;

// Takes the functions from a loaded library; the name of one that it does not have, or NULL.
//
// The caller keeps them. Nothing here may: an optimised Swift module is several units of machine code, each with a copy of
// its own of these functions and of any variable in them, and what one copy loaded the others would not know.
static inline const char *hearth_png_load(void *handle, hearth_png_library *library) {
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        {"png_create_read_struct", &library->create},
        {"png_create_info_struct", &library->create_info},
        {"png_destroy_read_struct", &library->destroy},
        {"png_set_read_fn", &library->set_read},
        {"png_read_info", &library->read_info},
        {"png_set_expand", &library->expand},
        {"png_set_scale_16", &library->scale_16},
        {"png_set_strip_alpha", &library->strip_alpha},
        {"png_set_interlace_handling", &library->interlace},
        {"png_read_update_info", &library->update},
        {"png_get_image_width", &library->width},
        {"png_get_image_height", &library->height},
        {"png_get_rowbytes", &library->row_bytes},
        {"png_read_row", &library->read_row},
        {"png_read_end", &library->read_end},
        {"png_get_libpng_ver", &library->version},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(handle, functions[i].name);
        if (function == NULL) return functions[i].name;
        memcpy(functions[i].place, &function, sizeof function);
    }
    return NULL;
}

static inline const char *hearth_png_version(const hearth_png_library *library) { return library->version(NULL); }

// A file in memory on its way through the library.
typedef struct hearth_png_reader {
    const unsigned char *bytes;
    size_t count;
    // The first warning or error.
    char message[160];
    jmp_buf jump;
} hearth_png_reader;

// The picture that this thread decodes: what the library calls back is told no more than its own structure, and runs inside
// `hearth_png_decode`.
static inline hearth_png_reader **hearth_png_current(void) {
    static _Thread_local hearth_png_reader *reader;
    return &reader;
}

static inline void hearth_png_note(hearth_png_reader *reader, const char *text) {
    if (reader->message[0] == 0) snprintf(reader->message, sizeof reader->message, "%s", text);
}

static inline void hearth_png_warned(png_structp png, png_const_charp text) {
    (void)png;
    hearth_png_note(*hearth_png_current(), text);
}

static inline void hearth_png_failed(png_structp png, png_const_charp text) {
    (void)png;
    hearth_png_reader *reader = *hearth_png_current();
    reader->message[0] = 0;
    hearth_png_note(reader, text);
    longjmp(reader->jump, 1);
}

static inline void hearth_png_read(png_structp png, png_bytep target, size_t count) {
    hearth_png_reader *reader = *hearth_png_current();
    if (count > reader->count) hearth_png_failed(png, "the file ends too early");
    memcpy(target, reader->bytes, count);
    reader->bytes += count;
    reader->count -= count;
}

// Decodes a file to `channels` bytes a pixel, 1 for gray and 3 for colours, without alpha; pixels are those of the file,
// whatever it says about gamma and colours.
//
// False where it cannot be decoded, or has another size or kind of pixels. `message`, of 160 bytes, holds the error or
// the first warning.
static inline _Bool hearth_png_decode(
    const hearth_png_library *library, const unsigned char *bytes, size_t count, size_t width, size_t height,
    size_t channels, unsigned char *pixels, char *message) {
    hearth_png_reader reader = {.bytes = bytes, .count = count};
    *hearth_png_current() = &reader;
    // What is set after `setjmp` and used after a jump must not live in a register.
    png_structp volatile png = library->create(PNG_LIBPNG_VER_STRING, &reader, hearth_png_failed, hearth_png_warned);
    png_infop volatile info = png == NULL ? NULL : library->create_info(png);
    _Bool volatile is_whole = 0;
    if (info != NULL && setjmp(reader.jump) == 0) {
        library->set_read(png, &reader, hearth_png_read);
        library->read_info(png, info);
        library->expand(png);
        library->scale_16(png);
        library->strip_alpha(png);
        const int passes = library->interlace(png);
        library->update(png, info);
        if (library->width(png, info) == width && library->height(png, info) == height
            && library->row_bytes(png, info) == width * channels) {
            for (int pass = 0; pass < passes; pass++) {
                for (size_t y = 0; y < height; y++) library->read_row(png, pixels + y * width * channels, NULL);
            }
            library->read_end(png, NULL);
            is_whole = 1;
        } else {
            hearth_png_note(&reader, "its headers disagree about its pixels");
        }
    }
    png_structp used_png = png;
    png_infop used_info = info;
    if (used_png != NULL) library->destroy(&used_png, &used_info, NULL);
    *hearth_png_current() = NULL;
    memcpy(message, reader.message, sizeof reader.message);
    return is_whole;
}

#endif
