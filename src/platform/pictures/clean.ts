import { cleanGif } from './gif.ts'
import { cleanJpeg } from './jpeg.ts'
import { cleanPng } from './png.ts'
import { type CleanPicture, type PictureKind, PictureProblem } from './types.ts'
import { cleanWebp } from './webp.ts'

/** The cleaners by kind, each with the first bytes of its files. */
const KINDS: Record<PictureKind, { begins: RegExp; clean(file: Buffer): CleanPicture }> = {
  png: { begins: /^\x89PNG\r\n/, clean: cleanPng },
  jpeg: { begins: /^\xff\xd8\xff/, clean: cleanJpeg },
  webp: { begins: /^RIFF[^]{4}WEBP/, clean: cleanWebp },
  gif: { begins: /^GIF8[79]a/, clean: cleanGif },
}

/** First bytes of files that people take for one of ours, with the remedy. */
const OTHERS: readonly (readonly [begins: RegExp, what: string])[] = [
  [/^[^]{4}ftyp(?:hei|hev|mif1|msf1)/, 'is a HEIC photo, which browsers do not show: export it as JPEG'],
  [/^[^]{4}ftypavi[fs]/, 'is an AVIF, which not every phone shows: save it as WebP or JPEG'],
  [/^\s*(?:<\?xml|<svg|<!DOCTYPE svg)/i, 'is an SVG, which may hold script and which no push shows: save it as PNG'],
  [/^(?:II\*\0|MM\0\*)/, 'is a TIFF: save it as PNG or JPEG'],
  [/^BM/, 'is a BMP: save it as PNG'],
  [/^%PDF/, 'is a PDF: save the picture as PNG'],
]

/**
 * Reads a picture by its bytes, whatever its name says, and makes a copy without anything that is not needed to show it: no place, no
 * camera, no texts, nothing behind its end. Pixels are copied and never decoded, so that a picture stays exactly as it looks and costs
 * no more memory than its bytes. Throws `PictureProblem`.
 */
export function cleanPicture(file: Buffer): CleanPicture {
  if (file.length === 0) throw new PictureProblem('is empty')
  const start = file.toString('latin1', 0, 64)
  const kind = Object.values(KINDS).find(({ begins }) => begins.test(start))
  if (kind) return kind.clean(file)
  const other = OTHERS.find(([begins]) => begins.test(start))
  throw new PictureProblem(other?.[1] ?? 'is no PNG, JPEG, WebP or GIF')
}
