/**
 * Numbers that Apple sets, with their sources, and those that we chose. Vendors change them without notice: check here
 * first when refusals appear.
 */
export const SAFARI = {
  /** "Building the Push Package" (Notification Programming Guide for Websites): name -> pixels of each side. */
  icons: {
    'icon.iconset/icon_16x16.png': 16,
    'icon.iconset/icon_16x16@2x.png': 32,
    'icon.iconset/icon_32x32.png': 32,
    'icon.iconset/icon_32x32@2x.png': 64,
    'icon.iconset/icon_128x128.png': 128,
    'icon.iconset/icon_128x128@2x.png': 256,
  },
  /** Same page: the authentication token has at least 16 characters. */
  tokenCharacters: 16,
  /** Our limit: size of the file at iconUrl. */
  iconBytes: 1 << 20,
  /** Our limit: pixels. A decoded picture takes 4 bytes a pixel in memory. */
  iconPixels: 1024 * 1024,
  /** Our advice: side length with which no icon has to be enlarged. */
  iconAdvisedSide: 256,
  /** Our choice: the times for which an icon, and a failure to get it, are cached. */
  iconKeptMs: 24 * 3_600_000,
  iconFailureMs: 60_000,
} as const
