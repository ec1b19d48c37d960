import type { OpenPool } from '../../../platform/http2/types.ts'
import { openApns, prepareRequest, prepareRequests } from '../apns/client.ts'
import type { GatewaySettings, Sender } from '../gateway.ts'
import type { SafariFacts, SafariSecret } from './credentials.ts'
import { type FetchIcons, iconFetcher } from './icons.ts'
import { buildSafariHeaders, buildSafariPayload, refusalOf } from './payload.ts'
import { inspectCertificate, inspectPackaging } from './probe.ts'

/** Dependencies that tests replace. */
export interface SafariDoors {
  openPool?: OpenPool
  fetchIcons?: FetchIcons
}

/** A sender for one website: APNs with the website's certificate, always the production host, with website payloads. */
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
    prepare: (message) =>
      prepareRequest(
        buildSafariPayload(message.content, facts),
        buildSafariHeaders(message),
        refusalOf(message.content),
      ),
    prepareMany: (messageOf, count) =>
      prepareRequests(messageOf, count, {
        payloadOf: ({ content }) => buildSafariPayload(content, facts),
        headersOf: buildSafariHeaders,
        refusalOf: ({ content }) => refusalOf(content),
      }),
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
