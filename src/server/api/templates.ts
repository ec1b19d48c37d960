import {
  createTemplate,
  newTemplate,
  previewTemplate,
  templateChange,
  templatesPage,
  updateTemplate,
} from '../../domain/templates/schema.ts'
import { STARTERS } from '../../domain/templates/starters/index.ts'
import { versionNumber } from '../../platform/values/parse.ts'
import {
  presentRendered,
  presentStarters,
  presentTemplate,
  presentVersion,
  presentVersionLine,
  presentWholeTemplate,
  renderedTemplate,
  starters,
  template,
  templatePage,
  templateVersion,
  versionPage,
} from '../../present/api/templates.ts'
import { DOCUMENT, VALUES } from '../openapi/words/in-app.ts'
import { del, get, post, put, type Route } from '../routing/route.ts'

const OURS = { area: 'messages', needs: 'server-key' } as const
const UNKNOWN = { 404: 'There is no such template' }
const UNKNOWN_VERSION = { 404: 'There is no such template, or no such version of it' }

/** Templates of in-app messages, for servers and the console. Not in the contract. */
export const templateRoutes: Route[] = [
  post('/v1/templates', {
    ...OURS,
    summary: 'Create a template from a document or a starter',
    description:
      'Give the `content` of the template, or a `starter` to begin with. `docs/templates.md` describes the document.',
    takes: 'NewTemplate',
    sends: {
      uid: 'opening-hours',
      name: 'Opening hours',
      content: DOCUMENT,
      tags: [{ title: 'Title', type: 'text', required: true }],
      sample: VALUES,
    },
    scope: 'admin',
    body: createTemplate,
    status: 201,
    returns: template,
    run: async ({ tx, appId, body }) => presentWholeTemplate(await tx.templates.create(appId, newTemplate(body))),
  }),
  get('/v1/templates', {
    ...OURS,
    summary: 'List templates in the order of their creation',
    description: 'Returns templates in the order of their creation, without their documents.',
    scope: 'read',
    query: templatesPage,
    returns: templatePage,
    run: async ({ tx, appId, query }) => {
      const { templates, next } = await tx.templates.list(appId, query)
      return { templates: templates.map(presentTemplate), next }
    },
  }),
  get('/v1/templates/:uid', {
    ...OURS,
    summary: 'Read a template with its newest version',
    description: 'Returns the document as it was given, with its tags.',
    scope: 'read',
    also: UNKNOWN,
    returns: template,
    run: async ({ tx, appId, params }) => presentWholeTemplate(await tx.templates.get(appId, params.uid!)),
  }),
  put('/v1/templates/:uid', {
    ...OURS,
    summary: 'Change a template',
    description:
      'An absent field stays as it is. A new `content`, `tags` or `sample` makes a new version; earlier ones never change.',
    takes: 'TemplateChange',
    sends: { name: 'Opening hours (short)' },
    scope: 'admin',
    body: updateTemplate,
    also: UNKNOWN,
    returns: template,
    run: async ({ tx, appId, params, body }) =>
      presentWholeTemplate(await tx.templates.update(appId, params.uid!, templateChange(body))),
  }),
  del('/v1/templates/:uid', {
    ...OURS,
    summary: 'Delete a template with all its versions',
    description: 'All its versions are deleted. Messages made from it stay as they are.',
    scope: 'admin',
    status: 204,
    also: UNKNOWN,
    run: ({ tx, appId, params }) => tx.templates.delete(appId, params.uid!),
  }),
  get('/v1/templates/:uid/versions', {
    ...OURS,
    summary: 'List the versions of a template',
    description: 'Returns versions in ascending order, without their documents.',
    scope: 'read',
    query: templatesPage,
    also: UNKNOWN,
    returns: versionPage,
    run: async ({ tx, appId, params, query }) => {
      const { versions, next } = await tx.templates.versions(appId, params.uid!, query)
      return { versions: versions.map(presentVersionLine), next }
    },
  }),
  get('/v1/templates/:uid/versions/:version', {
    ...OURS,
    summary: 'Read a version of a template',
    description: 'Returns the document of that version.',
    scope: 'read',
    also: UNKNOWN_VERSION,
    returns: templateVersion,
    run: async ({ tx, appId, params }) => {
      const found = await tx.templates.find(appId, params.uid!)
      const version = versionNumber(params.version!)
      return presentVersion(found, await tx.templates.version(appId, params.uid!, version))
    },
  }),
  post('/v1/templates/:uid/preview', {
    ...OURS,
    summary: 'Render a template without sending anything',
    description: 'Uses the `sample` of the template for tags without a value. Stores and sends nothing.',
    takes: 'PreviewRequest',
    sends: { content: VALUES },
    scope: 'read',
    body: previewTemplate,
    // It only reads, so it takes no write transaction.
    transaction: false,
    also: UNKNOWN,
    returns: renderedTemplate,
    run: async ({ tx, appId, params, body }) =>
      presentRendered(await tx.templates.preview(appId, params.uid!, body.content)),
  }),
  // Not below `/v1/templates`, where the name could be the uid of a template.
  get('/v1/template-starters', {
    ...OURS,
    summary: 'List the templates that come with the program',
    description: 'Name one of them as `starter` when you create a template.',
    scope: 'read',
    returns: starters,
    run: async () => ({ starters: presentStarters(STARTERS) }),
  }),
]
