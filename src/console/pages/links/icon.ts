/** Side of an icon in pixels: three for each of the 64 that pages and chats show. */
const SIDE = 192
/** Bytes of a file that is taken as it is, and characters of a data URL: the interface takes no more. */
const MAX_BYTES = 24_000
const MAX_LENGTH = 32_768
const AS_IT_IS = /^image\/(?:png|jpeg|webp)$/

/** The data URL of an icon made of a picture; a larger one is scaled down. Throws when the browser cannot read the picture. */
export async function iconOf(picture: Blob): Promise<string> {
  if (picture.size <= MAX_BYTES && AS_IT_IS.test(picture.type)) return dataUrlOf(picture)
  const whole = await createImageBitmap(picture)
  for (const [side, type] of [
    [SIDE, 'image/png'],
    [SIDE, 'image/webp'],
    [SIDE / 2, 'image/webp'],
  ] as const) {
    const url = drawn(whole, side, type)
    if (url.length <= MAX_LENGTH) return url
  }
  throw new Error('The picture cannot be made small enough: choose a plainer one.')
}

function drawn(picture: ImageBitmap, side: number, type: string): string {
  const scale = Math.min(1, side / Math.max(picture.width, picture.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(picture.width * scale))
  canvas.height = Math.max(1, Math.round(picture.height * scale))
  canvas.getContext('2d')!.drawImage(picture, 0, 0, canvas.width, canvas.height)
  return canvas.toDataURL(type, 0.85)
}

function dataUrlOf(file: Blob): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = new FileReader()
  reader.addEventListener('load', () => resolve(reader.result as string))
  reader.addEventListener('error', () => reject(reader.error ?? new Error('the file could not be read')))
  reader.readAsDataURL(file)
  return promise
}
