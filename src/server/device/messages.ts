import { syncedMessages } from '../../domain/in-app/deliver/sync.schema.ts'
import { readAfter } from '../../domain/in-app/deliver/sync.ts'
import { presentUserMessage, userMessage } from '../../present/device/user-messages.ts'
import { list } from '../../present/schema.ts'
import { get, type Route, streamOf } from '../routing/route.ts'
import { namedUser, UNSIGNED } from './named-user.ts'

/**
 * Routes for in-app messages as devices fetch them (docs/reference/device-protocol.md section 9, M1). Devices report what became
 * of them as events.
 */
export const deviceMessageRoutes: Route[] = [
  get('/v1/users/:userId/messages', {
    area: 'push',
    summary: "List a user's in-app messages",
    description:
      'Without `after`: messages that are current. With it: messages that changed since, also expired and withdrawn ones.',
    needs: 'device-key',
    device: true,
    query: syncedMessages,
    returns: list(userMessage),
    also: { ...UNSIGNED, 404: 'There is no such user' },
    run: async ({ tx, appId, params, query: { after } }) => {
      const since = after === undefined ? undefined : readAfter(after)
      const identifier = await namedUser({ tx, appId, params })
      return streamOf(await tx.inAppSync.messages(appId, identifier, since), presentUserMessage)
    },
  }),
]
