import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Compress } from '../../packaging/built-files.ts'

/** Compresses the files for browsers in the program that tests start: as a release has them they cost more than a second of a processor. */
export const compressQuickly: Compress = (bytes) => ({
  br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  gzip: gzipSync(bytes, { level: 1 }),
})
