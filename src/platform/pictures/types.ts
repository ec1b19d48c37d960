/** The kinds of pictures that every browser and every push library shows. */
export const PICTURE_KINDS = ['png', 'jpeg', 'webp', 'gif'] as const
export type PictureKind = (typeof PICTURE_KINDS)[number]

/** Bounds of a picture beside its bytes: they bound the memory that a phone needs to show it. */
export const PICTURE_BOUNDS = {
  /** Width and height in pixels: a 12-megapixel photo has 4032. */
  side: 4096,
  /** Frames of an animation. */
  frames: 600,
  /** Pixels of all frames together. */
  pixels: 128 * 1024 * 1024,
  /** Chunks of a PNG, of a WebP or of one of its frames: each costs memory beside its bytes, also an empty one. */
  chunks: 20_000,
} as const

/** A picture without anything that is not needed to show it. */
export interface CleanPicture {
  kind: PictureKind
  /** In pixels, as the picture is shown: a photo that was taken on its side has its sides exchanged. */
  width: number
  height: number
  /** 1 unless it is animated. */
  frames: number
  bytes: Buffer
}

/** A file that is no picture, or none that we store. The message follows "the file" or the name of a field. */
export class PictureProblem extends Error {}

/** Throws when one frame, or the whole picture, is empty or wider or higher than `PICTURE_BOUNDS.side`. */
export function boundSides(width: number, height: number): void {
  const { side } = PICTURE_BOUNDS
  if (width < 1 || height < 1) throw new PictureProblem('has no pixels')
  if (width > side || height > side) {
    throw new PictureProblem(`has ${width} × ${height} pixels; at most ${side} × ${side} are allowed: make it smaller`)
  }
}

/** Throws when a file has more chunks than `PICTURE_BOUNDS.chunks`. */
export function boundChunks(count: number): void {
  if (count <= PICTURE_BOUNDS.chunks) return
  throw new PictureProblem(`has more than ${PICTURE_BOUNDS.chunks} parts: save it anew`)
}

/** Counts the frames of an animation, and throws when they are more than `PICTURE_BOUNDS` allows. */
export function frameCounter() {
  let frames = 0
  let pixels = 0
  return {
    add(width: number, height: number): void {
      boundSides(width, height)
      frames++
      pixels += width * height
      if (frames > PICTURE_BOUNDS.frames) {
        throw new PictureProblem(`has more than ${PICTURE_BOUNDS.frames} frames: make it shorter`)
      }
      if (pixels > PICTURE_BOUNDS.pixels) {
        throw new PictureProblem(
          `has more than ${PICTURE_BOUNDS.pixels} pixels in all its frames: make it shorter or smaller`,
        )
      }
    },
    count: () => frames,
  }
}
