import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { mediaTypeOf, PICTURES_PATH, readPicturePath } from '../../domain/pictures/addresses.ts'
import type { Picture } from '../../domain/pictures/types.ts'
import { messageOf } from '../../platform/errors.ts'
import type { Program } from '../../program.ts'
import { isKnown } from '../http/etag.ts'
import { sendError, sendNotFound, sendText } from '../http/respond.ts'
import { pictureMemory } from './picture-memory.ts'

/** Answers requests for the bytes of pictures. */
export interface PictureDoor {
  /** Tells whether the address is one of a picture, also of one that there is not. */
  isFor(url: string): boolean
  /** The bytes of a picture; undefined when there is none. */
  read(picture: Pick<Picture, 'uid' | 'kind'>): Promise<Buffer | undefined>
  /** Answers such a request. Returns the route's name in metrics. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<string>
}

/** The caching of a picture: its address names its bytes. One that was deleted may stay where it was seen. */
export const FOR_EVER = 'public, max-age=31536000, immutable'

/**
 * Headers of each picture. Anybody may upload bytes that are picture and script at once: the type is the one that was checked, no
 * browser may guess another, and what is opened by itself may do nothing. Any website may show it.
 */
const HEADERS = {
  'Cache-Control': FOR_EVER,
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Access-Control-Allow-Origin': '*',
}

/** Serves `/pictures/{uid}.{ending}`. A slow reader holds no connection to the database: the bytes are in memory by then. */
export function pictureDoor(program: Program): PictureDoor {
  const { clock, log } = program.kernel
  const memory = pictureMemory({ read: (uid, kind) => program.pictures.bytes(uid, kind), now: () => clock.monotonic() })

  return {
    isFor: (url) => url.startsWith(PICTURES_PATH),

    read: ({ uid, kind }) => memory.get(uid, kind),

    async answer(request, response) {
      const { method } = request
      if (method !== 'GET' && method !== 'HEAD') {
        sendError(request, response, 405, `${method} is not supported here: use GET or HEAD`, { Allow: 'GET, HEAD' })
        return 'picture'
      }
      const [path] = request.url!.split('?', 1) as [string]
      const place = readPicturePath(path)
      let bytes: Buffer | undefined
      try {
        bytes = place && (await memory.get(place.uid, place.kind))
      } catch (error) {
        log.error({ error: messageOf(error), path }, 'a picture could not be read')
        sendError(request, response, 503, 'the picture cannot be read now: try again', { 'Retry-After': '5' })
        return 'picture'
      }
      if (!place || !bytes) {
        sendNotFound(request, response, { error: `there is no picture at ${path}`, json: true })
        return 'picture'
      }
      const headers: OutgoingHttpHeaders = { ...HEADERS, ETag: `"${place.uid}"` }
      if (isKnown(request, `"${place.uid}"`)) response.writeHead(304, headers).end()
      else
        sendText(request, response, { text: bytes, headers: { ...headers, 'Content-Type': mediaTypeOf(place.kind) } })
      return 'picture'
    },
  }
}
