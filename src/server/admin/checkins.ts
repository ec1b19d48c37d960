import { checkinQuery } from '../../domain/checkins/schema.ts'
import { checkinPage, presentShownCheckin } from '../../present/admin/checkins.ts'
import { get, type Route } from '../routing/route.ts'

/** Check-ins of groups at places, for people. */
export const adminCheckinRoutes: readonly Route[] = [
  get('/v1/apps/:appId/checkins', {
    area: 'admin',
    needs: 'person',
    right: 'see',
    summary: 'List check-ins, newest first',
    description: 'With the people of each group. `next` is null on the last page.',
    query: checkinQuery,
    returns: checkinPage,
    run: async ({ tx, appId, query }) => {
      const { state, userId, after, limit } = query
      const filter = { isOpen: state === undefined ? undefined : state === 'open', userIdentifier: userId }
      const { checkins, next } = await tx.checkins.list(appId, after, limit, filter)
      return { items: checkins.map(presentShownCheckin), next }
    },
  }),
]
