/** Versions are numbered from 1; the largest number that their column holds. */
export const LAST_VERSION = 2 ** 31 - 1
