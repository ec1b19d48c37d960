/**
 * The one fact of EXIF data that a picture needs: how a camera was held (EXIF 2.32, tag 0x0112). A phone that stores a portrait
 * stores it on its side and says here how to turn it; without it the picture lies down. Everything else, such as the place and the
 * serial number of the camera, is dropped.
 */

const ORIENTATION = 0x0112
const SHORT = 3

/** Reads the orientation, 1 to 8, of a TIFF structure as EXIF holds it. 1, which is upright, when it cannot be read. */
export function readOrientation(tiff: Buffer): number {
  const order = tiff.toString('latin1', 0, 4)
  const isLittle = order === 'II*\0'
  if (!isLittle && order !== 'MM\0*') return 1
  const u16 = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const u32 = (at: number) => (isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at))
  if (tiff.length < 8) return 1
  const directory = u32(4)
  if (directory + 2 > tiff.length) return 1
  const entries = u16(directory)
  for (let i = 0; i < entries; i++) {
    const entry = directory + 2 + i * 12
    if (entry + 12 > tiff.length) return 1
    if (u16(entry) !== ORIENTATION) continue
    const value = u16(entry + 8)
    return u16(entry + 2) === SHORT && value >= 1 && value <= 8 ? value : 1
  }
  return 1
}

/** A TIFF structure that says the orientation and nothing else. */
export function orientationOnly(orientation: number): Buffer {
  const tiff = Buffer.alloc(26)
  tiff.write('MM\0*', 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(1, 8)
  tiff.writeUInt16BE(ORIENTATION, 10)
  tiff.writeUInt16BE(SHORT, 12)
  tiff.writeUInt32BE(1, 14)
  tiff.writeUInt16BE(orientation, 18)
  return tiff
}

/** The sides of a picture as it is shown. Orientations 5 to 8 turn it by a quarter. */
export function sidesShown(width: number, height: number, orientation: number): { width: number; height: number } {
  return orientation >= 5 ? { width: height, height: width } : { width, height }
}
