// header_alone.cc: the header needs nothing before it, may be included twice and can be used from C++.
#include <folio.h>
#include <folio.h>

#include <cstdio>
#include <cstring>

int main() {
    folio_config_t *config = nullptr;
    folio_error_t *error = nullptr;
    bool works = folio_config_create(&config, &error) == FOLIO_OK && config != nullptr && error == nullptr
        && std::strcmp(folio_status_get_name(FOLIO_ERROR_BUSY), "FOLIO_ERROR_BUSY") == 0;
    folio_config_release(config);
    std::printf("%d passed, %d failed\n", works ? 1 : 0, works ? 0 : 1);
    return works ? 0 : 1;
}
