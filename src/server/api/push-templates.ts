import {
  createPushTemplate,
  newPushTemplate,
  previewPushTemplate,
  pushTemplateChange,
  pushTemplateOverride,
  pushTemplatesPage,
  updatePushTemplate,
} from '../../domain/push-templates/schema.ts'
import { versionNumber } from '../../platform/values/parse.ts'
import {
  presentPushTemplate,
  presentPushTemplateLine,
  presentPushTemplatePreview,
  presentPushTemplateVersion,
  presentPushTemplateVersionLine,
  pushTemplate,
  pushTemplatePage,
  pushTemplatePreview,
  pushTemplateVersion,
  pushTemplateVersionPage,
} from '../../present/api/push-templates.ts'
import { del, get, post, put, type Route } from '../routing/route.ts'

const OURS = { area: 'messages', needs: 'server-key' } as const
const UNKNOWN = { 404: 'There is no such push template' }
const UNKNOWN_VERSION = { 404: 'There is no such push template, or no such version of it any more' }

/** Stored content of pushes, for servers and the console. Not in the contract. */
export const pushTemplateRoutes: Route[] = [
  post('/v1/push-templates', {
    ...OURS,
    summary: 'Store the content of a push as a push template',
    description:
      'A send names it with `content.template`. It holds what a push says, in the form of a send: `content`, `ios`, `android` and ' +
      '`buttons`. An app has at most 1000, each of at most 64 KiB. `docs/push-templates.md` describes them.',
    takes: 'NewPushTemplate',
    sends: {
      uid: 'order-shipped',
      name: 'Order shipped',
      content: { title: 'It is on its way', message: 'We have sent your order.' },
      ios: { subtitle: 'Your order' },
    },
    scope: 'admin',
    body: createPushTemplate,
    status: 201,
    also: { 409: 'The `uid` is taken, or the app has as many as it may have' },
    returns: pushTemplate,
    run: async ({ tx, appId, body }) =>
      presentPushTemplate(await tx.pushTemplates.create(appId, newPushTemplate(body))),
  }),
  get('/v1/push-templates', {
    ...OURS,
    summary: 'List push templates in the order of their creation',
    description: 'Returns push templates in the order of their creation, without their content.',
    scope: 'read',
    query: pushTemplatesPage,
    returns: pushTemplatePage,
    run: async ({ tx, appId, query }) => {
      const { templates, next } = await tx.pushTemplates.list(appId, query)
      return { pushTemplates: templates.map(presentPushTemplateLine), next }
    },
  }),
  get('/v1/push-templates/:uid', {
    ...OURS,
    summary: 'Read a push template with its newest version',
    description: 'Returns the content as it was given.',
    scope: 'read',
    also: UNKNOWN,
    returns: pushTemplate,
    run: async ({ tx, appId, params }) => presentPushTemplate(await tx.pushTemplates.get(appId, params.uid!)),
  }),
  put('/v1/push-templates/:uid', {
    ...OURS,
    summary: 'Change a push template',
    description:
      'An absent field stays as it is; null takes `ios`, `android` or `buttons` away. What differs makes a new version; the newest 100 ' +
      'are kept. What was sent or is scheduled keeps its content.',
    takes: 'PushTemplateChange',
    sends: { content: { title: 'It is on its way', message: 'Your order has left our house.' } },
    scope: 'admin',
    body: updatePushTemplate,
    also: UNKNOWN,
    returns: pushTemplate,
    run: async ({ tx, appId, params, body }) =>
      presentPushTemplate(await tx.pushTemplates.update(appId, params.uid!, pushTemplateChange(body))),
  }),
  del('/v1/push-templates/:uid', {
    ...OURS,
    summary: 'Delete a push template with all its versions',
    description: 'What was sent or is scheduled keeps its content.',
    scope: 'admin',
    status: 204,
    also: UNKNOWN,
    run: ({ tx, appId, params }) => tx.pushTemplates.delete(appId, params.uid!),
  }),
  get('/v1/push-templates/:uid/versions', {
    ...OURS,
    summary: 'List the versions of a push template',
    description: 'Returns the versions that are kept in ascending order, without their content.',
    scope: 'read',
    query: pushTemplatesPage,
    also: UNKNOWN,
    returns: pushTemplateVersionPage,
    run: async ({ tx, appId, params, query }) => {
      const { versions, next } = await tx.pushTemplates.versions(appId, params.uid!, query)
      return { versions: versions.map(presentPushTemplateVersionLine), next }
    },
  }),
  get('/v1/push-templates/:uid/versions/:version', {
    ...OURS,
    summary: 'Read a version of a push template',
    description: 'Returns the content of that version.',
    scope: 'read',
    also: UNKNOWN_VERSION,
    returns: pushTemplateVersion,
    run: async ({ tx, appId, params }) => {
      const found = await tx.pushTemplates.find(appId, params.uid!)
      const version = versionNumber(params.version!)
      return presentPushTemplateVersion(found, await tx.pushTemplates.version(appId, params.uid!, version))
    },
  }),
  post('/v1/push-templates/:uid/preview', {
    ...OURS,
    summary: 'Preview a push template: what it says, and the request to each gateway. Sends and stores nothing',
    description:
      'Takes what a send says itself beside the push template; a key of it wins. The payloads have a placeholder for the id. To count ' +
      'recipients as well, preview a notification that names the push template.',
    takes: 'PushTemplateOverride',
    sends: { content: { title: 'Your bread is on its way' } },
    scope: 'read',
    body: previewPushTemplate,
    // It only reads, so it takes no write transaction.
    transaction: false,
    also: UNKNOWN,
    returns: pushTemplatePreview,
    run: async ({ tx, appId, params, body }) =>
      presentPushTemplatePreview(await tx.pushTemplates.preview(appId, params.uid!, pushTemplateOverride(body))),
  }),
]
