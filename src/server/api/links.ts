import { changeLink, createLinks, fromLinkChange, fromLinksForm, linksPage } from '../../domain/links/make/schema.ts'
import { fromLinkSettingsForm, linkSettingsForm } from '../../domain/links/settings/settings.ts'
import { idSegment } from '../../platform/values/parse.ts'
import {
  createdLink,
  deepLink,
  deepLinkPage,
  linkSettings,
  presentCreatedLink,
  presentLink,
  presentLinkSettings,
} from '../../present/api/links.ts'
import { list } from '../../present/schema.ts'
import { LINK } from '../openapi/words/links.ts'
import { del, get, patch, post, put, type Route } from '../routing/route.ts'

const SERVER = { area: 'links', needs: 'server-key' } as const

/** Deep links, for servers. */
export const linkRoutes: Route[] = [
  post('/v1/deep-links', {
    ...SERVER,
    summary: 'Create deep links',
    description:
      'At most 500 at once. All of them are created or none. The answer has one item for each, in the same order.',
    takes: 'NewDeepLinks',
    sends: [{ ...LINK, slug: 'spring-sale', content: { title: 'Spring sale' }, lookupLimit: 100 }],
    scope: 'admin',
    body: createLinks,
    returns: list(createdLink),
    // 500 links with their data exceed the usual limit.
    bodyLimit: 'limits.notificationBody',
    run: async ({ tx, appId, body }) => {
      const place = await tx.links.place(appId)
      const links = await tx.links.create(appId, fromLinksForm(body))
      return links.map((link) => presentCreatedLink(link, tx.links.urlOf(place, link.slug)))
    },
  }),
  get('/v1/deep-links', {
    ...SERVER,
    summary: 'List deep links in the order of their creation',
    description: 'Returns deep links in the order of their creation, with their counts.',
    scope: 'read',
    query: linksPage,
    returns: deepLinkPage,
    run: async ({ tx, program, appId, query }) => {
      const [place, { links, next }] = await Promise.all([tx.links.place(appId), tx.links.list(appId, query)])
      const now = program.kernel.clock.now()
      return { deepLinks: links.map((link) => presentLink(link, tx.links.urlOf(place, link.slug), now)), next }
    },
  }),
  get('/v1/deep-links/:id', {
    ...SERVER,
    summary: 'Read a deep link and its counts',
    description: '`clicks` counts people who followed it, `lookups` matches in the app.',
    scope: 'read',
    also: { 404: 'There is no such deep link' },
    returns: deepLink,
    run: async ({ tx, program, appId, params }) => {
      const link = await tx.links.get(appId, idSegment(params.id!, 'deep link'))
      const place = await tx.links.place(appId)
      return presentLink(link, tx.links.urlOf(place, link.slug), program.kernel.clock.now())
    },
  }),
  patch('/v1/deep-links/:id', {
    ...SERVER,
    summary: 'Change a deep link, or switch it off',
    description:
      'An absent field stays as it is; null clears `content`, `reportingMeta`, `expiresAt` and `lookupLimit`. `isEnabled: false` switches the link ' +
      'off: visitors and SDKs are answered 404 until it is switched on again. The slug cannot be changed, because the address may be printed. ' +
      'Visitors see a change within a second.',
    takes: 'DeepLinkChange',
    sends: { expiresAt: null, lookupLimit: 500 },
    scope: 'admin',
    body: changeLink,
    also: { 404: 'There is no such deep link' },
    returns: deepLink,
    run: async ({ tx, program, appId, params, body }) => {
      const link = await tx.links.update(appId, idSegment(params.id!, 'deep link'), fromLinkChange(body))
      const place = await tx.links.place(appId)
      return presentLink(link, tx.links.urlOf(place, link.slug), program.kernel.clock.now())
    },
  }),
  del('/v1/deep-links/:id', {
    ...SERVER,
    summary: 'Delete a deep link',
    description:
      'Its address answers 404, and its slug is free. Refused while a banner leads to it. Events about it stay.',
    scope: 'admin',
    status: 204,
    also: { 404: 'There is no such deep link', 409: 'A banner leads to it' },
    run: ({ tx, appId, params }) => tx.links.delete(appId, idSegment(params.id!, 'deep link')),
  }),
  get('/v1/link-settings', {
    ...SERVER,
    summary: 'Read the link settings',
    description: 'Settings that were never made are null or empty.',
    scope: 'read',
    returns: linkSettings,
    run: async ({ tx, appId }) => {
      const site = await tx.links.site(appId)
      return presentLinkSettings(site, tx.links.baseOf(site))
    },
  }),
  put('/v1/link-settings', {
    ...SERVER,
    summary: 'Change the link settings',
    description:
      'An absent field stays as it is; null clears a text, and an empty list clears a list. The association files that Apple and Google read follow at once.',
    takes: 'LinkSettingsChange',
    sends: { domain: 'go.example.com', iosTeamId: 'A1B2C3D4E5', iosBundleIds: ['com.example.app'] },
    scope: 'admin',
    body: linkSettingsForm,
    returns: linkSettings,
    run: async ({ tx, appId, body }) => {
      const site = await tx.links.configure(appId, fromLinkSettingsForm(body))
      return presentLinkSettings(site, tx.links.baseOf(site))
    },
  }),
]
