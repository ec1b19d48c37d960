import {
  choicesForm,
  listSuppressions,
  purposeForm,
  suppressionForm,
  suppressionsForm,
} from '../../domain/consent/schema.ts'
import {
  chosenPurposes,
  presentAllChosen,
  presentListed,
  presentPurpose,
  presentPurposes,
  presentSuppression,
  purpose,
  purposes,
  suppression,
  suppressionPage,
  suppressionsAdded,
} from '../../present/api/consent.ts'
import { CHOICES } from '../openapi/words/consent.ts'
import { del, get, post, put, Reply, type Route } from '../routing/route.ts'

const OURS = { area: 'crm', needs: 'server-key', scope: 'crm' } as const
const NO_PURPOSE = { 404: 'There is no such purpose' }
const NOT_LISTED = { 404: 'The identifier is not on the list' }

/** Purposes, the choices of users, and the suppression list, for servers. Not in the contract. */
export const consentRoutes: Route[] = [
  get('/v1/purposes', {
    ...OURS,
    summary: 'List the purposes of the app',
    description: 'Returns them in the order of their creation. An app has at most 50.',
    returns: purposes,
    run: async ({ tx, appId }) => presentPurposes(await tx.purposes.list(appId)),
  }),
  get('/v1/purposes/:uid', {
    ...OURS,
    summary: 'Read a purpose',
    description: 'Says what the purpose is, not who allows it.',
    also: NO_PURPOSE,
    returns: purpose,
    run: async ({ tx, appId, params }) => presentPurpose(await tx.purposes.get(appId, params.uid!)),
  }),
  put('/v1/purposes/:uid', {
    ...OURS,
    summary: 'Create or replace a purpose',
    description:
      'Sends that name the purpose skip users who do not allow it, whatever their target is. What users chose stays when a purpose is replaced. ' +
      'While a purpose is required, earlier refusals have no effect.',
    takes: 'PurposeRequest',
    sends: { name: 'News', description: 'What is new in the app, once a week', default: true },
    body: purposeForm,
    also: {
      201: { says: 'The purpose was created', body: purpose },
      409: 'The app has as many purposes as it may have',
    },
    returns: purpose,
    run: async ({ tx, appId, params, body }) => {
      const { name, description = null, default: isDefault, required = false } = body
      const fields = { name, description, default: isDefault, required }
      const made = await tx.purposes.put(appId, params.uid!, fields)
      return new Reply(made.created ? 201 : 200, presentPurpose(made.purpose))
    },
  }),
  del('/v1/purposes/:uid', {
    ...OURS,
    summary: 'Delete a purpose and what users chose for it',
    description: 'What users chose is forgotten. A new purpose with the same uid begins with its default.',
    status: 204,
    also: { ...NO_PURPOSE, 409: 'Something that names it is not sent yet' },
    run: ({ tx, appId, params }) => tx.purposes.delete(appId, params.uid!),
  }),
  get('/v1/users/:userId/choices', {
    ...OURS,
    summary: 'Read what a user allows',
    description: 'Returns every purpose of the app, chosen or not.',
    also: { 404: 'There is no such user' },
    returns: chosenPurposes,
    run: async ({ tx, appId, params }) => presentAllChosen(await tx.purposes.ofUser(appId, params.userId!)),
  }),
  put('/v1/users/:userId/choices', {
    ...OURS,
    summary: 'Store what a user chose; creates the user if there is none',
    description: `${CHOICES} Devices have a route of their own, \`/v1/users/{userId}/purposes\`.`,
    takes: 'Choices',
    sends: { news: false },
    body: choicesForm,
    returns: chosenPurposes,
    run: async ({ tx, appId, params, body }) => {
      const { chosen } = await tx.purposes.choose(appId, params.userId!, body, 'server')
      return presentAllChosen(chosen)
    },
  }),
  get('/v1/suppressions', {
    ...OURS,
    summary: 'List the suppression list, page by page',
    description:
      'Returns digests of identifiers, because nothing else is stored. Ask for an identifier by its own address.',
    query: listSuppressions,
    returns: suppressionPage,
    run: async ({ tx, appId, query }) => {
      const { suppressions, next } = await tx.suppressions.list(appId, query)
      return { suppressions: suppressions.map(presentListed), next }
    },
  }),
  post('/v1/suppressions', {
    ...OURS,
    summary: 'Put users on the suppression list',
    description:
      'Takes up to 1000 identifiers, of users who exist or not. They get nothing any more, transactional sends included. ' +
      'Those who are on the list already get the new reason.',
    takes: 'SuppressionsRequest',
    sends: { userIds: ['user-17', 'user-18'], reason: 'asked by letter' },
    body: suppressionsForm,
    returns: suppressionsAdded,
    run: async ({ tx, appId, body }) => {
      const identifiers = [...new Set(body.userIds.map(String))]
      const added = await tx.suppressions.putAll(appId, identifiers, body.reason ?? null)
      return { added, known: identifiers.length - added }
    },
  }),
  get('/v1/suppressions/:identifier', {
    ...OURS,
    summary: 'Read whether a user is on the suppression list',
    description: 'Answers 404 for an identifier that is not on the list.',
    also: NOT_LISTED,
    returns: suppression,
    run: async ({ tx, appId, params }) =>
      presentSuppression(params.identifier!, await tx.suppressions.get(appId, params.identifier!)),
  }),
  put('/v1/suppressions/:identifier', {
    ...OURS,
    summary: 'Put a user on the suppression list',
    description: 'The user gets nothing any more, transactional sends included. There need not be such a user.',
    takes: 'SuppressionRequest',
    sends: { reason: 'asked by letter' },
    body: suppressionForm,
    also: { 201: { says: 'The user was not on the list before', body: suppression } },
    returns: suppression,
    run: async ({ tx, appId, params, body }) => {
      const identifier = params.identifier!
      const { suppression, created } = await tx.suppressions.put(appId, identifier, body.reason ?? null)
      return new Reply(created ? 201 : 200, presentSuppression(identifier, suppression))
    },
  }),
  del('/v1/suppressions/:identifier', {
    ...OURS,
    summary: 'Take a user off the suppression list',
    description: 'Later sends reach the user again.',
    status: 204,
    also: NOT_LISTED,
    run: ({ tx, appId, params }) => tx.suppressions.remove(appId, params.identifier!),
  }),
]
