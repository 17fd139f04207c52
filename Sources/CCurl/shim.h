#ifndef HEARTH_CCURL_SHIM_H
#define HEARTH_CCURL_SHIM_H

#include <curl/curl.h>

// libcurl's setters take anything by `...`, which Swift cannot call. One function for each type of argument.

static inline CURLcode hearth_curl_set_long(CURL *curl, CURLoption option, long value) {
    return curl_easy_setopt(curl, option, value);
}

static inline CURLcode hearth_curl_set_string(CURL *curl, CURLoption option, const char *value) {
    return curl_easy_setopt(curl, option, value);
}

static inline CURLcode hearth_curl_set_pointer(CURL *curl, CURLoption option, void *value) {
    return curl_easy_setopt(curl, option, value);
}

static inline CURLcode hearth_curl_set_list(CURL *curl, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(curl, option, value);
}

typedef size_t (*hearth_curl_data_function)(char *, size_t, size_t, void *);

static inline CURLcode hearth_curl_set_data_function(CURL *curl, CURLoption option, hearth_curl_data_function value) {
    return curl_easy_setopt(curl, option, value);
}

static inline CURLcode hearth_curl_set_open_socket(CURL *curl, curl_opensocket_callback value) {
    return curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline CURLcode hearth_curl_allow_http_only(CURL *curl) {
#if CURL_AT_LEAST_VERSION(7, 85, 0)
    return curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

// Without it, closing waits for a name lookup that is still under way.
static inline void hearth_curl_leave_quickly(CURL *curl) {
#if CURL_AT_LEAST_VERSION(7, 87, 0)
    curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)curl;
#endif
}

static inline CURLcode hearth_curl_get_string(CURL *curl, CURLINFO info, char **value) {
    return curl_easy_getinfo(curl, info, value);
}

// What a finished transfer's message says; the union in it is out of Swift's reach on some versions.
static inline CURL *hearth_curl_next_finished(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}

#endif
