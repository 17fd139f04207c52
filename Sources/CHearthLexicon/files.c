// Data, no code: the files of `Files/`, as they are, in the program's constants. `#embed` costs the compiler nothing,
// where an array literal of Swift costs it a second for some kilobytes; and a build finds what it needs without a bundle.
#include "CHearthLexicon.h"

#include <string.h>

#if !defined(__has_embed)
#error "CHearthLexicon needs a C compiler that knows #embed: clang 19 or later"
#endif

// `#embed` is of C23; the package is C17.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wc23-extensions"
#endif

static const unsigned char ar[] = {
#embed "Files/ar.txt"
};
static const unsigned char de[] = {
#embed "Files/de.txt"
};
static const unsigned char en[] = {
#embed "Files/en.txt"
};
static const unsigned char es[] = {
#embed "Files/es.txt"
};
static const unsigned char fr[] = {
#embed "Files/fr.txt"
};
static const unsigned char it[] = {
#embed "Files/it.txt"
};
static const unsigned char ja[] = {
#embed "Files/ja.txt"
};
static const unsigned char ko[] = {
#embed "Files/ko.txt"
};
static const unsigned char pt[] = {
#embed "Files/pt.txt"
};
static const unsigned char ru[] = {
#embed "Files/ru.txt"
};
static const unsigned char zh_Hans[] = {
#embed "Files/zh-Hans.txt"
};
static const unsigned char zh_Hant[] = {
#embed "Files/zh-Hant.txt"
};
static const unsigned char ar_lexicon[] = {
#embed "Files/ar.lexicon"
};
static const unsigned char ar_any_lexicon[] = {
#embed "Files/ar-any.lexicon"
};
static const unsigned char de_lexicon[] = {
#embed "Files/de.lexicon"
};
static const unsigned char emoji_lexicon[] = {
#embed "Files/emoji.lexicon"
};
static const unsigned char en_lexicon[] = {
#embed "Files/en.lexicon"
};
static const unsigned char es_lexicon[] = {
#embed "Files/es.lexicon"
};
static const unsigned char fr_lexicon[] = {
#embed "Files/fr.lexicon"
};
static const unsigned char it_lexicon[] = {
#embed "Files/it.lexicon"
};
static const unsigned char ja_lexicon[] = {
#embed "Files/ja.lexicon"
};
static const unsigned char ja_any_lexicon[] = {
#embed "Files/ja-any.lexicon"
};
static const unsigned char ko_lexicon[] = {
#embed "Files/ko.lexicon"
};
static const unsigned char pt_lexicon[] = {
#embed "Files/pt.lexicon"
};
static const unsigned char ru_lexicon[] = {
#embed "Files/ru.lexicon"
};
static const unsigned char ru_any_lexicon[] = {
#embed "Files/ru-any.lexicon"
};
static const unsigned char zh_Hans_lexicon[] = {
#embed "Files/zh-Hans.lexicon"
};
static const unsigned char zh_Hant_lexicon[] = {
#embed "Files/zh-Hant.lexicon"
};
static const unsigned char emoji[] = {
#embed "Files/emoji.txt"
};
static const unsigned char lookalikes[] = {
#embed "Files/lookalikes.txt"
};
static const unsigned char meaning[] = {
#embed "Files/meaning.bin"
};
static const unsigned char negative_prompts[] = {
#embed "Files/negative-prompts.json"
};
static const unsigned char unicode_classes[] = {
#embed "Files/unicode-classes.bin"
};
static const unsigned char unicode_folds[] = {
#embed "Files/unicode-folds.bin"
};

static const struct {
    const char *name;
    hl_bytes bytes;
} files[] = {
    {"ar.txt", {ar, sizeof ar}},
    {"de.txt", {de, sizeof de}},
    {"en.txt", {en, sizeof en}},
    {"es.txt", {es, sizeof es}},
    {"fr.txt", {fr, sizeof fr}},
    {"it.txt", {it, sizeof it}},
    {"ja.txt", {ja, sizeof ja}},
    {"ko.txt", {ko, sizeof ko}},
    {"pt.txt", {pt, sizeof pt}},
    {"ru.txt", {ru, sizeof ru}},
    {"zh-Hans.txt", {zh_Hans, sizeof zh_Hans}},
    {"zh-Hant.txt", {zh_Hant, sizeof zh_Hant}},
    {"ar.lexicon", {ar_lexicon, sizeof ar_lexicon}},
    {"ar-any.lexicon", {ar_any_lexicon, sizeof ar_any_lexicon}},
    {"de.lexicon", {de_lexicon, sizeof de_lexicon}},
    {"emoji.lexicon", {emoji_lexicon, sizeof emoji_lexicon}},
    {"en.lexicon", {en_lexicon, sizeof en_lexicon}},
    {"es.lexicon", {es_lexicon, sizeof es_lexicon}},
    {"fr.lexicon", {fr_lexicon, sizeof fr_lexicon}},
    {"it.lexicon", {it_lexicon, sizeof it_lexicon}},
    {"ja.lexicon", {ja_lexicon, sizeof ja_lexicon}},
    {"ja-any.lexicon", {ja_any_lexicon, sizeof ja_any_lexicon}},
    {"ko.lexicon", {ko_lexicon, sizeof ko_lexicon}},
    {"pt.lexicon", {pt_lexicon, sizeof pt_lexicon}},
    {"ru.lexicon", {ru_lexicon, sizeof ru_lexicon}},
    {"ru-any.lexicon", {ru_any_lexicon, sizeof ru_any_lexicon}},
    {"zh-Hans.lexicon", {zh_Hans_lexicon, sizeof zh_Hans_lexicon}},
    {"zh-Hant.lexicon", {zh_Hant_lexicon, sizeof zh_Hant_lexicon}},
    {"emoji.txt", {emoji, sizeof emoji}},
    {"lookalikes.txt", {lookalikes, sizeof lookalikes}},
    {"meaning.bin", {meaning, sizeof meaning}},
    {"negative-prompts.json", {negative_prompts, sizeof negative_prompts}},
    {"unicode-classes.bin", {unicode_classes, sizeof unicode_classes}},
    {"unicode-folds.bin", {unicode_folds, sizeof unicode_folds}},
};

hl_bytes hl_file(const char *name) {
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (strcmp(files[i].name, name) == 0) return files[i].bytes;
    }
    return (hl_bytes){NULL, 0};
}
