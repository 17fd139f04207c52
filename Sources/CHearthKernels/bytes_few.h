// Products of few tokens with 8-bit activations: rows are read as the file has them, several at a time. Included behind the
// `hk_bytes_rows` of a set.
#ifndef HK_BYTES_FEW_H
#define HK_BYTES_FEW_H

HK_INLINE void hk_bytes_few(hk_format format, const hk_tile *task, size_t row_count, size_t token_count) {
    hk_tile tile = *task;
    for (size_t row = 0; row < row_count;) {
        const size_t rows = row_count - row >= HK_DECODE_ROWS ? HK_DECODE_ROWS : 1;
        tile.ahead = hk_ahead(tile.row_bytes, rows);
        tile.spare = (row_count - row - rows) * tile.row_bytes;
        for (size_t token = 0; token < token_count; token++) {
            if (rows == 1) hk_bytes_rows(format, 1, &tile, token);
            else hk_bytes_rows(format, HK_DECODE_ROWS, &tile, token);
        }
        tile.weights += rows * tile.row_bytes;
        tile.y += rows;
        row += rows;
    }
}

#endif
