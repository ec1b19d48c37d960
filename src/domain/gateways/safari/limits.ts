/** Numbers that Apple sets, with their sources, and those that we chose. They change without notice: look here first when refusals appear. */
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
  /** Ours: the file at iconUrl. */
  iconBytes: 1 << 20,
  /** Ours: a picture is unfolded in memory, 4 bytes a pixel. */
  iconPixels: 1024 * 1024,
  /** Ours: larger than the largest icon is made of, so that nothing has to be blown up. */
  iconAdvisedSide: 256,
  /** Ours: how long an icon is used before it is fetched anew, and how long a failure stands. */
  iconKeptMs: 24 * 3_600_000,
  iconFailureMs: 60_000,
} as const
