import type { Picture } from '../../domain/pictures/types.ts'
import { printable } from './output.ts'
import { shortTime } from './present.ts'

/** `1200 × 630`, and the frames of an animation. */
export function sidesOf({ width, height, frames }: Pick<Picture, 'width' | 'height' | 'frames'>): string {
  return `${width} × ${height}${frames > 1 ? `, ${frames} frames` : ''}`
}

export function pictureFields(picture: Picture, url: string): Record<string, string | number> {
  return {
    uid: picture.uid,
    name: printable(picture.name),
    kind: picture.kind,
    pixels: sidesOf(picture),
    bytes: picture.size,
    stored: shortTime(picture.createdAt),
    link: url,
  }
}
