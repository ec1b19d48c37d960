import type { OpenPool } from '../../../platform/http2/types.ts'
import { openApns, prepareRequest } from '../apns/client.ts'
import { buildApnsHeaders } from '../apns/payload.ts'
import type { Gateway, GatewaySettings, PushMessage, PushPreview, Sender } from '../gateway.ts'
import { APNS } from '../limits.ts'
import { checkSafari, type SafariFacts, type SafariSecret, safariBlock } from './credentials.ts'
import { type FetchIcons, iconFetcher } from './icons.ts'
import { buildSafariPayload, refusalOf, type Website } from './payload.ts'
import { inspectCertificate, inspectPackaging } from './probe.ts'

/** What tests replace. */
export interface SafariDoors {
  openPool?: OpenPool
  fetchIcons?: FetchIcons
}

/** A sender for one website: APNs with its certificate, always the production host, and payloads as macOS wants them of websites. */
export function openSafari(
  credential: { secret: SafariSecret; facts: SafariFacts },
  settings: GatewaySettings,
  now: () => number,
  { openPool, fetchIcons = iconFetcher() }: SafariDoors = {},
): Sender {
  const { facts } = credential
  const sender = openApns(credential, settings, now, openPool)
  return {
    ...sender,
    prepare: ({ content, ...message }) =>
      prepareRequest(buildSafariPayload(content, facts), buildApnsHeaders({ content, ...message }), refusalOf(content)),
    async probe() {
      const [answer] = await sender.probe()
      return [
        ...(answer ? [answer] : []),
        ...inspectCertificate(facts, now()),
        ...(await inspectPackaging(credential, settings, now(), fetchIcons)),
      ]
    },
  }
}

/** Without a configuration a content is measured as if its address were on the website: that is the longest it can become. */
export function previewSafari(message: PushMessage): PushPreview {
  const payload = buildSafariPayload(message.content, anyWebsite(message.content.url))
  const bytes = Buffer.byteLength(JSON.stringify(payload))
  return { headers: buildApnsHeaders(message), payload, bytes, limit: APNS.payloadBytes }
}

function anyWebsite(url: string | undefined): Website {
  const isWeb = url !== undefined && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
  return { siteUrl: isWeb ? new URL(url).origin : 'https://example.com', websiteName: '' }
}

/** Safari's website push before it knew the Web Push standard, platform `safari`. */
export const safari: Gateway = {
  platform: 'safari',
  block: safariBlock,
  check: checkSafari,
  preview: previewSafari,
  // What comes back from storage is what `checkSafari` gave out.
  open: ({ secret, facts }, settings, now) =>
    openSafari({ secret: secret as SafariSecret, facts: facts as SafariFacts }, settings, now),
}
