import type { Channel, ChannelImport, SeenChannel, Subscription, UnknownLine } from '../../domain/channels/types.ts'
import { plainUtc } from '../../platform/time/clock.ts'
import {
  answerOf,
  boolean,
  count,
  free,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  pageOf,
  plainTime,
  string,
} from '../schema.ts'

/** The contract's Channel; `madeByDevice`, an addition of ours, only where it is so. */
export function presentChannel(channel: Channel) {
  const { id, appId, uuid, name, showInPortal, meta, madeByDevice, createdAt, updatedAt } = channel
  return {
    id,
    appId,
    uuid,
    name,
    showInPortal,
    meta,
    ...(madeByDevice && { madeByDevice }),
    createdAt: plainUtc(createdAt),
    updatedAt: plainUtc(updatedAt),
  }
}

/**
 * A channel of a device's list (docs/reference/device-protocol.md section 8): SDKs refuse the whole list without
 * `subscribed`.
 */
export function presentSeenChannel({ uuid, name, meta, subscribed }: SeenChannel) {
  return { uuid, name, subscribed, meta }
}

/** A subscription to a channel; `installId` is null when all installs of the user are meant. */
export function presentSubscription({ userId, installId, subscribed }: Subscription) {
  return { userId, installId, subscribed }
}

/** A file of subscribers and how far it is: `processed` of `lines` identifiers, each of them applied or unknown. */
export function presentImport(one: ChannelImport) {
  const { id, state, total, applied, unknown, error, createdAt, updatedAt } = one
  return {
    id,
    state,
    lines: total,
    processed: applied + unknown,
    applied,
    unknown,
    error,
    createdAt: plainUtc(createdAt),
    updatedAt: plainUtc(updatedAt),
  }
}

/** The same with the first lines that name nobody. */
export function presentImportReport(one: ChannelImport & { unknownLines: UnknownLine[] }) {
  const unknownUsers = one.unknownLines.map(({ line, identifier }) => ({ line, userId: identifier }))
  return { ...presentImport(one), unknownUsers }
}

export const channel = answerOf<typeof presentChannel>('Channel', {
  id: integer,
  appId: integer,
  uuid: string,
  name: nullable(string),
  showInPortal: boolean,
  meta: nullable(free),
  madeByDevice: optional({ const: true }),
  createdAt: plainTime,
  updatedAt: plainTime,
})
export const channelPage = pageOf('channels', channel)

export const seenChannel = answerOf<typeof presentSeenChannel>('SeenChannel', {
  uuid: string,
  name: nullable(string),
  subscribed: boolean,
  meta: nullable(free),
})

export const subscriptionPage = pageOf(
  'subscriptions',
  answerOf<typeof presentSubscription>('Subscription', {
    userId: string,
    installId: nullable(string),
    subscribed: boolean,
  }),
  string,
)

const importMembers = {
  id: string,
  state: oneOf(['queued', 'running', 'done', 'failed']),
  lines: count,
  processed: count,
  applied: count,
  unknown: count,
  error: nullable(string),
  createdAt: plainTime,
  updatedAt: plainTime,
}
export const channelImport = answerOf<typeof presentImport>('ChannelImport', importMembers)
export const queuedImport = object({ import: channelImport }, 'QueuedChannelImport')
export const importPage = pageOf('imports', channelImport)
export const importReport = object(
  {
    import: answerOf<typeof presentImportReport>('ChannelImportReport', {
      ...importMembers,
      unknownUsers: list(object({ line: integer, userId: string }, 'UnknownLine')),
    }),
  },
  'ChannelImportAnswer',
)
