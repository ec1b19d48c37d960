import { messageOf } from '../../../platform/errors.ts'
import { type SendOutbound, sendOutbound } from '../../../platform/net/outbound.ts'
import type { GatewaySettings } from '../gateway.ts'
import { SAFARI } from './limits.ts'
import { PictureError, readPng, square, squarePng } from './picture.ts'

const SIDE = Math.sqrt(SAFARI.iconPixels)
const ADVISED = SAFARI.iconAdvisedSide

/** Requirements for the file at iconUrl, for answers and findings. */
export const ICON_RULE =
  `a PNG picture of at most ${SAFARI.iconBytes >> 20} MiB and ${SIDE} × ${SIDE} pixels, ` +
  `preferably square and at least ${ADVISED} × ${ADVISED}`

/** The six icons of a push package by file name, and the size of their source picture. */
export interface IconSet {
  files: ReadonlyMap<string, Buffer>
  width: number
  height: number
}

/**
 * Thrown when there is no icon. The message may name addresses of the operator's network, so it is for the operator and
 * the log, not for visitors.
 */
export class IconFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'IconFailure'
  }
}

export type FetchIcons = (iconUrl: string, settings: Pick<GatewaySettings, 'ca' | 'allowPrivate'>) => Promise<IconSet>

/** A `FetchIcons` over the guarded client; `send` is replaced in tests only. Throws `IconFailure`. */
export function iconFetcher(send: SendOutbound = sendOutbound): FetchIcons {
  return async (iconUrl, { ca, allowPrivate }) => {
    const reply = await send({
      url: iconUrl,
      headers: { accept: 'image/png' },
      ca,
      allowPrivate,
      largestReply: SAFARI.iconBytes,
    }).catch((error: unknown) => {
      throw new IconFailure(`the icon cannot be fetched: ${messageOf(error)}`, { cause: error })
    })
    if (reply.status !== 200) {
      throw new IconFailure(
        `the icon cannot be fetched: its server answered ${reply.status} (redirects are not followed)`,
      )
    }
    if (reply.isCut) throw new IconFailure(`the icon is too large: it must be ${ICON_RULE}`)
    return makeIcons(reply.body)
  }
}

/** A PNG file -> the six icons. Throws `IconFailure`. */
export async function makeIcons(png: Buffer): Promise<IconSet> {
  try {
    const picture = await readPng(png, SAFARI.iconPixels)
    const { width, height } = picture
    // Scale the small icons from the largest one: reading a big picture for each would take several times as long.
    const largest = square(picture, Math.max(...Object.values(SAFARI.icons)))
    const files = new Map(Object.entries(SAFARI.icons).map(([name, side]) => [name, squarePng(largest, side)]))
    return { files, width, height }
  } catch (error) {
    if (!(error instanceof PictureError)) throw error
    throw new IconFailure(`the file at iconUrl ${error.message}; it must be ${ICON_RULE}`, { cause: error })
  }
}
