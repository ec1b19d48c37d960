import {
  countProfiles,
  listProfiles,
  suggestProfiles as suggestQuery,
  readTimeline as timelineQuery,
} from '../../domain/profiles/schema.ts'
import { AppError } from '../../platform/errors.ts'
import {
  presentProfile,
  presentProfiles,
  presentSuggestion,
  presentTimeline,
  presentVerdict,
  profile,
  profileCount,
  profilePage,
  suggestions,
  timeline,
  verdict,
} from '../../present/admin/profiles.ts'
import { get, type Route } from '../routing/route.ts'
import { numberOf } from './params.ts'
import { explainProfile, findProfiles, readTimeline, suggestProfiles } from './reads.ts'

const SEE = { area: 'admin', needs: 'person', right: 'see' } as const
const UNKNOWN = { 404: 'There is no such user' }
/** Users that one part of a count finds at most. */
const COUNT_PART = 5000

/**
 * Users as people look for them and at them. A profile is named by a number, not by the identifier of the user: people who get
 * personal data masked can open it too. Routes that change a user have the addresses of the server API (twins.ts).
 */
export const profileRoutes: readonly Route[] = [
  get('/v1/apps/:appId/profiles', {
    ...SEE,
    summary: 'Find users by what somebody typed, or list them in an order',
    description:
      '`q` is what somebody typed: a whole install id, a part of an identifier or of a value of an attribute, or a condition on an ' +
      'attribute such as `plan = gold`, `visits >= 12` or `city ~ ber`. Identifiers that begin with the text come first. Behind them, and ' +
      'in a search by an attribute, the server looks for a moment only, so a page may hold few users, or none: go on with `next`. `sort` ' +
      'is for everybody; searches have the order in which users are found. `-lastActive` looks at every user for each page. Who gets ' +
      'personal data masked finds users by their whole identifier or install id only, and may not sort by identifier.',
    query: listProfiles,
    returns: profilePage,
    run: async (call) => {
      const { tx, appId, person, query } = call
      const { q, sort, after, limit } = query
      if (person.isMasked && sort.endsWith('identifier')) {
        throw new AppError('forbidden', 'personal data is masked for viewers: ask for another role')
      }
      const found = await findProfiles(call, { text: q, sort, after, limit, isWholeOnly: person.isMasked })
      const users = await tx.profiles.users(appId, found.ids)
      const total = found.understood.kind === 'everybody' ? await tx.crm.countUsers(appId) : null
      return presentProfiles(users, found, total)
    },
  }),
  get('/v1/apps/:appId/profiles/count', {
    ...SEE,
    summary: 'Count the users who fit a search, part by part',
    description:
      'The server looks for a moment only: add up the counts until `next` is null. `q` is that of the list, and so is what viewers find.',
    query: countProfiles,
    returns: profileCount,
    run: async (call) => {
      const { q, after } = call.query
      const search = { text: q, after, limit: COUNT_PART, isWholeOnly: call.person.isMasked }
      const { ids, next } = await findProfiles(call, search)
      return { count: ids.length, next }
    },
  }),
  get('/v1/apps/:appId/profiles/suggestions', {
    ...SEE,
    summary: 'Offer what a search for users may mean, while somebody types it',
    description:
      'Users, installs and attributes that fit. Names and values of attributes are those of the newest users.',
    query: suggestQuery,
    returns: suggestions,
    run: async (call) => {
      const { person, query } = call
      return { items: (await suggestProfiles(call, query.q, person.isMasked)).map(presentSuggestion) }
    },
  }),
  get('/v1/apps/:appId/profiles/:profileId', {
    ...SEE,
    summary: 'Read everything that is known of a user at the moment',
    description:
      'With installs and what is known of their push tokens, channels, choices and suppression. Push tokens are never shown.',
    also: UNKNOWN,
    returns: profile,
    run: async ({ tx, appId, params }) => presentProfile(await tx.profileView.show(appId, numberOf(params.profileId))),
  }),
  get('/v1/apps/:appId/profiles/:profileId/timeline', {
    ...SEE,
    summary: 'Read what happened to a user and what they did, the latest first',
    description:
      'Sessions, sends, openings, in-app messages, links and events, as far as they are still kept. A page may hold fewer than `limit`, ' +
      'or none, and still have a `next`. Who gets personal data masked does not see what events said.',
    query: timelineQuery,
    also: UNKNOWN,
    returns: timeline,
    run: async (call) => presentTimeline(await readTimeline(call, numberOf(call.params.profileId), call.query)),
  }),
  get('/v1/apps/:appId/profiles/:profileId/notifications/:id', {
    ...SEE,
    summary: 'Say why a user got a notification, or did not',
    description:
      'The trace of every install in plain sentences, each with what can be done. `answers` are the words of the gateways. ' +
      'Whether an install fits a segment, a channel or a place is as it is now.',
    also: { 404: 'There is no such user, or no such notification' },
    returns: verdict,
    run: async (call) =>
      presentVerdict(await explainProfile(call, numberOf(call.params.profileId), numberOf(call.params.id))),
  }),
]
