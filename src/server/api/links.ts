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
import { del, get, patch, post, put, type Route } from '../routing/route.ts'

const SERVER = { area: 'links', needs: 'server-key' } as const

/** Deep links, for servers. */
export const linkRoutes: Route[] = [
  post('/v1/deep-links', {
    ...SERVER,
    summary: 'Create deep links',
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
    scope: 'admin',
    status: 204,
    also: { 404: 'There is no such deep link', 409: 'A banner leads to it' },
    run: ({ tx, appId, params }) => tx.links.delete(appId, idSegment(params.id!, 'deep link')),
  }),
  get('/v1/link-settings', {
    ...SERVER,
    summary: 'Read the link settings',
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
    scope: 'admin',
    body: linkSettingsForm,
    returns: linkSettings,
    run: async ({ tx, appId, body }) => {
      const site = await tx.links.configure(appId, fromLinkSettingsForm(body))
      return presentLinkSettings(site, tx.links.baseOf(site))
    },
  }),
]
