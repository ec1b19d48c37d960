import { jsonData } from '../../platform/values/parse.ts'
import { adminPrompt, adminPrompts, presentAdminPrompt } from '../../present/admin/prompts.ts'
import { DESIGN } from '../openapi/words/admin-links.ts'
import { del, get, patch, post, type Route } from '../routing/route.ts'

const ADMIN = { area: 'admin', needs: 'person' } as const
const UNKNOWN = { 404: 'There is no such prompt' }

/** Prompts, with which web pages ask for permission to send pushes. */
export const adminPromptRoutes: readonly Route[] = [
  get('/v1/apps/:appId/prompts', {
    ...ADMIN,
    right: 'see',
    summary: 'List the web prompts in the order of their creation',
    description: 'An app has 50 at most. Browsers show none without a web gateway.',
    returns: adminPrompts,
    run: async ({ tx, appId }) => ({ items: (await tx.prompts.list(appId)).map(presentAdminPrompt), next: null }),
  }),
  post('/v1/apps/:appId/prompts/:name', {
    ...ADMIN,
    right: 'campaign',
    summary: 'Create a web prompt with this name',
    description: 'The body is the file of the prompt, which docs/gateways/web.md describes.',
    takes: 'NewWebPrompt',
    sends: DESIGN,
    audit: 'prompts.create',
    body: jsonData().required(),
    status: 201,
    also: { 409: 'There is one with this name, or the app has as many as it may have' },
    returns: adminPrompt,
    run: async ({ tx, appId, params, body, note }) => {
      const made = presentAdminPrompt(await tx.prompts.create(appId, params.name!, body))
      note({ target: made.name, after: made })
      return made
    },
  }),
  get('/v1/apps/:appId/prompts/:name', {
    ...ADMIN,
    right: 'see',
    summary: 'Read a web prompt',
    description: 'With every default.',
    also: UNKNOWN,
    returns: adminPrompt,
    run: async ({ tx, appId, params }) => presentAdminPrompt(await tx.prompts.get(appId, params.name!)),
  }),
  patch('/v1/apps/:appId/prompts/:name', {
    ...ADMIN,
    right: 'campaign',
    summary: 'Change a web prompt',
    description: 'An absent part stays as it is, a part that is given is replaced as a whole, and null removes one.',
    takes: 'WebPromptChange',
    sends: { trigger: { event: 'cartFilled' } },
    audit: 'prompts.update',
    body: jsonData().required(),
    also: UNKNOWN,
    returns: adminPrompt,
    run: async ({ tx, appId, params, body, note }) => {
      const before = presentAdminPrompt(await tx.prompts.lock(appId, params.name!))
      const after = presentAdminPrompt(await tx.prompts.update(appId, before.name, body))
      note({ target: before.name, before, after })
      return after
    },
  }),
  del('/v1/apps/:appId/prompts/:name', {
    ...ADMIN,
    right: 'campaign',
    summary: 'Delete a web prompt',
    description: 'Browsers that fetched it already show it for an hour at most.',
    audit: 'prompts.delete',
    status: 204,
    also: UNKNOWN,
    run: async ({ tx, appId, params, note }) => {
      const before = presentAdminPrompt(await tx.prompts.lock(appId, params.name!))
      await tx.prompts.delete(appId, before.name)
      note({ target: before.name, before })
    },
  }),
]
