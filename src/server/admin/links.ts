import { gatewaySettings } from '../../domain/gateways/settings.ts'
import { drawQr } from '../../domain/links/make/qr.ts'
import { checkDomain } from '../../domain/links/settings/check.ts'
import type { DeepLink } from '../../domain/links/types.ts'
import { pagePolicy } from '../../domain/links/visit/jump-page.ts'
import { PREVIEW_DEVICES, previewLink, previewPage } from '../../domain/links/visit/preview.ts'
import { sendOutbound } from '../../platform/net/outbound.ts'
import { flag, idSegment, integer, oneOf, shape, text } from '../../platform/values/parse.ts'
import {
  adminDomainCheck,
  adminLinkDays,
  adminLinkPreview,
  adminLinks,
  presentDomainCheck,
  presentLinkPreview,
} from '../../present/admin/links.ts'
import { presentLink } from '../../present/api/links.ts'
import { newNonce } from '../http/respond.ts'
import { Bytes, type Call, get, Reply, type Route, Text } from '../routing/route.ts'

const ADMIN = { area: 'admin', needs: 'person' } as const
const UNKNOWN = { 404: 'There is no such deep link' }
const HTML = 'text/html; charset=utf-8'
const QR_TYPES = { svg: 'image/svg+xml', png: 'image/png' } as const
/** The time limit (ms) of each of the two documents: people wait for it. */
const CHECK_DEADLINE_MS = 8000

const daysQuery = shape({ days: integer({ min: 1, max: 90 }), linkId: integer({ min: 1 }) })
const searchQuery = shape({ q: text({ max: 2000 }).required() })
const qrQuery = shape({
  format: oneOf(['svg', 'png']).default('svg'),
  size: integer({ min: 64, max: 4096 }).default(512),
  logo: flag().default(false),
})
const pageQuery = shape({ device: oneOf(PREVIEW_DEVICES).default('ios') })

/** Deep links, where the server API has no route: statistics, QR codes, previews, the check of the domain. */
export const adminLinkRoutes: readonly Route[] = [
  get('/v1/apps/:appId/link-days', {
    ...ADMIN,
    right: 'see',
    summary: 'Count clicks and matches by day, platform and route',
    description:
      'The last `days` UTC days, today included; days without any are there. Of one link with `linkId`, else of all links of the app.',
    query: daysQuery,
    returns: adminLinkDays,
    run: ({ tx, appId, query }) => tx.statistics.linkDays(appId, query),
  }),
  get('/v1/apps/:appId/link-search', {
    ...ADMIN,
    right: 'see',
    summary: 'Find a deep link by its address, slug or id',
    description: 'Of a part of an address it finds nothing. A slug made of digits comes before an id.',
    query: searchQuery,
    returns: adminLinks,
    run: async ({ tx, program, appId, query }) => {
      const link = await tx.links.search(appId, query.q.trim())
      const place = await tx.links.place(appId)
      const now = program.kernel.clock.now()
      return { items: link ? [presentLink(link, tx.links.urlOf(place, link.slug), now)] : [], next: null }
    },
  }),
  get('/v1/apps/:appId/deep-links/:id/preview', {
    ...ADMIN,
    right: 'see',
    summary: 'Tell where a deep link leads, and what chats show of it',
    description:
      '`visits` says where people without the app come by device. The texts are in the language of `Accept-Language`, like the page.',
    also: UNKNOWN,
    returns: adminLinkPreview,
    run: async (call) => presentLinkPreview(previewLink(await visitedIn(call))),
  }),
  get('/v1/apps/:appId/deep-links/:id/page', {
    ...ADMIN,
    right: 'see',
    summary: 'Show the jump page of a deep link, without counting a click',
    description: 'The page that visitors get, for a frame of the console.',
    query: pageQuery,
    produces: 'text/html',
    also: { ...UNKNOWN, 409: 'Such a device gets no page' },
    run: async (call) => {
      const nonce = newNonce()
      const page = await previewPage(await visitedIn(call), call.query.device, nonce)
      const headers = { 'Content-Security-Policy': pagePolicy(nonce, "'self'") }
      return new Reply(200, new Text(page, HTML), headers)
    },
  }),
  get('/v1/apps/:appId/deep-links/:id/qr', {
    ...ADMIN,
    right: 'see',
    summary: 'Draw the QR code of a deep link',
    description:
      'Only the SVG has the icon of the app in its middle, if `logo` is true and the link settings have one.',
    query: qrQuery,
    produces: QR_TYPES.svg,
    alsoProduces: QR_TYPES.png,
    also: UNKNOWN,
    run: async (call) => {
      const { site, url } = await visitedIn(call)
      const { format, size, logo } = call.query
      const code = await drawQr(url, { format, size, logo: (logo && site.settings.icon) || undefined })
      return new Reply(200, new Bytes(code, QR_TYPES[format]))
    },
  }),
  get('/v1/apps/:appId/link-check', {
    ...ADMIN,
    right: 'operate',
    summary: 'Check the link host as Apple and Google do',
    description:
      'Asks DNS, the certificate and the two association files; takes 16 seconds at most. `domain` is null while links are below an address that phones do not give to apps.',
    returns: adminDomainCheck,
    run: async ({ tx, program, appId }) => {
      const site = await tx.links.site(appId)
      const base = tx.links.baseOf(site)
      const { host: domain } = new URL(base)
      const owner = await tx.links.siteOfHost(domain)
      if (owner?.appId !== appId) return presentDomainCheck(base, undefined, [])
      const { config, clock } = program.kernel
      const findings = await checkDomain({
        domain,
        settings: owner.settings,
        send: sendOutbound,
        ca: gatewaySettings(config).ca,
        allowPrivate: config['outbound.allowPrivate'],
        monotonic: () => clock.monotonic(),
        now: clock.now(),
        deadlineMs: CHECK_DEADLINE_MS,
      })
      return presentDomainCheck(base, domain, findings)
    },
  }),
]

/** The link of the path, with its site and the language of the visitor. Throws `not_found`. */
async function visitedIn({
  tx,
  appId,
  params,
  header,
}: Pick<Call<unknown, unknown>, 'tx' | 'appId' | 'params' | 'header'>) {
  const link: DeepLink = await tx.links.get(appId, idSegment(params.id!, 'deep link'))
  const site = await tx.links.site(appId)
  const iconUrl = site.appIcon && tx.pictures.urlOf(site.appIcon)
  return { link, site, url: tx.links.urlOf(site, link.slug), iconUrl, acceptLanguage: header('accept-language') }
}
