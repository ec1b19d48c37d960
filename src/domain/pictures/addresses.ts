import { createHash } from 'node:crypto'
import type { PictureKind } from '../../platform/pictures/types.ts'
import type { Picture } from './types.ts'

/** Path below which pictures are served. */
export const PICTURES_PATH = '/pictures/'

/** Kinds with the ending of their addresses and their media type. */
const KINDS: Record<PictureKind, { ending: string; type: string }> = {
  png: { ending: 'png', type: 'image/png' },
  jpeg: { ending: 'jpg', type: 'image/jpeg' },
  webp: { ending: 'webp', type: 'image/webp' },
  gif: { ending: 'gif', type: 'image/gif' },
}

/** Bytes of a digest that make a uid: as many as of a uuid, so that nobody finds an address by trying. */
const UID_BYTES = 16
const UID = '[0-9a-f]{32}'
const ADDRESS = new RegExp(`${PICTURES_PATH}(${UID})\\.(png|jpg|webp|gif)(?![A-Za-z0-9_-])`, 'g')
const UID_ALONE = new RegExp(`^${UID}$`)
const PATH = new RegExp(`^${PICTURES_PATH}(${UID})\\.(png|jpg|webp|gif)$`)

/**
 * The uid of a picture: the same bytes of the same app have the same one. Other apps have another one, so that nobody learns what they
 * have stored.
 */
export function pictureUid(appId: number, bytes: Buffer): string {
  const digest = createHash('sha256').update(`${appId}\n`).update(bytes).digest()
  return digest.subarray(0, UID_BYTES).toString('hex')
}

/** The path of a picture on this server. Its content never changes: other bytes have another path. */
export function picturePath({ uid, kind }: Pick<Picture, 'uid' | 'kind'>): string {
  return `${PICTURES_PATH}${uid}.${KINDS[kind].ending}`
}

export function mediaTypeOf(kind: PictureKind): string {
  return KINDS[kind].type
}

/** Reads a path that `picturePath` wrote. Undefined for any other. */
export function readPicturePath(path: string): Pick<Picture, 'uid' | 'kind'> | undefined {
  const [, uid, ending] = PATH.exec(path) ?? []
  const kind = (Object.keys(KINDS) as PictureKind[]).find((one) => KINDS[one].ending === ending)
  return uid !== undefined && kind ? { uid, kind } : undefined
}

/** The uid in what somebody names a picture by: its address, or the uid itself. Undefined for any other text. */
export function readPictureName(text: string): string | undefined {
  return UID_ALONE.exec(text)?.[0] ?? pictureUidsIn(text)[0]
}

/** The uids of the pictures whose addresses stand in a text, each once. */
export function pictureUidsIn(text: string): string[] {
  // Most texts name none: this look costs a microsecond for each kilobyte.
  if (!text.includes(PICTURES_PATH)) return []
  return [...new Set(Array.from(text.matchAll(ADDRESS), ([, uid]) => uid!))]
}
