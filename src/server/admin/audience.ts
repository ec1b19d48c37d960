import { countedChannels, memberSearch } from '../../domain/channels/schema.ts'
import { countFilter, segmentKey } from '../../domain/segments/schema.ts'
import {
  channelCounts,
  channelUses,
  csvOf,
  foundMembers,
  presentChannelCounts,
  presentChannelUses,
  presentCount,
  presentMembers,
  presentSegmentUses,
  presentSuggestions,
  segmentCount,
  segmentSuggestions,
  segmentUses,
} from '../../present/admin/audience.ts'
import { channelImport, presentImport } from '../../present/api/channels.ts'
import { countSubscriptions, estimateFilter, previewFilter, suggestForFilters } from '../calls/long-reads.ts'
import { FILTER } from '../openapi/words/admin-audience.ts'
import { type Call, EVENT_STREAM, eventsOf, get, post, Reply, type Route, Text } from '../routing/route.ts'
import { numberOf } from './params.ts'

const ADMIN = { area: 'admin', needs: 'person' } as const
const NO_APP = { 404: 'There is no such app, or you have no role in it' }
const NO_CHANNEL = { 404: 'There is no such channel, or you have no role in its app' }
const NO_FILE = { 404: 'There is no such channel or file, or you have no role in the app' }

/** Uses that a page lists, of each kind. */
const MAX_USES = 20
/** The time (ms) between two looks at the progress of a file. */
const LOOK_AGAIN_MS = 500

/** Segments and channels, for people: routes that the server API does not have. */
export const audienceRoutes: readonly Route[] = [
  get('/v1/apps/:appId/segment-suggestions', {
    ...ADMIN,
    // Values of attributes are personal data: who may write filters sees them.
    right: 'campaign',
    summary: 'Suggest fields and values for a filter',
    description:
      'From the newest 1000 users, the newest 300 installs of each platform, and the newest 5000 events with 5000 older ones: what only ' +
      'others have is missing. ' +
      'A filter may name it all the same.',
    also: NO_APP,
    returns: segmentSuggestions,
    run: async (call) => presentSuggestions(await suggestForFilters(call)),
  }),
  post('/v1/apps/:appId/segment-counts', {
    ...ADMIN,
    right: 'campaign',
    summary: 'Count the installs that match a filter which is not stored',
    description:
      'Answers within about a second. Above 50,000 subscribed installs it checks a sample of 30,000 and estimates the rest; ' +
      'with `isWhole` it checks all of them, for at most a minute. 503 when there was no time.',
    takes: 'FilterToCount',
    sends: { filter: FILTER },
    body: countFilter,
    reads: true,
    transaction: false,
    also: NO_APP,
    returns: segmentCount,
    run: async (call) => {
      const { filter, isWhole } = call.body
      return presentCount(await (isWhole ? previewFilter(call, filter) : estimateFilter(call, filter)))
    },
  }),
  get('/v1/apps/:appId/segments/:id/uses', {
    ...ADMIN,
    right: 'see',
    summary: 'List what waits to be sent to a segment',
    description: 'At most 20 of each kind. While there are any, the segment cannot be deleted.',
    also: { 404: 'There is no such segment, or you have no role in its app' },
    returns: segmentUses,
    run: async ({ tx, appId, params }) =>
      presentSegmentUses(await tx.segments.uses(appId, segmentKey(params.id!), MAX_USES)),
  }),

  get('/v1/apps/:appId/channel-counts', {
    ...ADMIN,
    right: 'see',
    summary: 'Count the subscriptions of some channels',
    description:
      'Counts for about a second. A channel that was not counted to its end has `isWhole: false`; those after it are left out: ask for them again.',
    query: countedChannels,
    also: NO_APP,
    returns: channelCounts,
    run: async (call) => presentChannelCounts(await countSubscriptions(call, call.query.ids.split(',').map(Number))),
  }),
  get('/v1/apps/:appId/channels/:id/uses', {
    ...ADMIN,
    right: 'see',
    summary: 'List the segments that name a channel, and what waits to be sent to it',
    description: 'At most 20 of each kind. A deleted channel means nobody in a filter, and reaches nobody.',
    also: NO_CHANNEL,
    returns: channelUses,
    run: async ({ tx, appId, params }) =>
      presentChannelUses(
        await tx.segments.usesOfChannel(appId, await tx.channels.get(appId, { id: numberOf(params.id) }), MAX_USES),
      ),
  }),
  get('/v1/apps/:appId/channels/:uuid/members', {
    ...ADMIN,
    // Who may not see identifiers cannot search for them either.
    right: 'campaign',
    summary: 'Search the members of a channel',
    description:
      'Looks at the next 200 identifiers from there on; capitals matter. `isWhole` is false when there are more: write more of the identifier.',
    query: memberSearch,
    also: NO_CHANNEL,
    returns: foundMembers,
    run: async ({ tx, appId, params, query }) => {
      const { id } = await tx.channels.get(appId, { uuid: params.uuid! })
      return presentMembers(await tx.subscriptions.search(appId, id, query.q))
    },
  }),
  get('/v1/apps/:appId/channels/:uuid/imports/:id/events', {
    ...ADMIN,
    right: 'see',
    summary: 'Follow the progress of a subscriber file',
    description: 'Server-sent events named `progress`, each with the whole state. Ends when the file is through.',
    produces: EVENT_STREAM,
    streams: channelImport,
    headers: { 'X-Accel-Buffering': ['Tells proxies to pass each event on at once.', 'no'] },
    also: NO_FILE,
    run: async (call) => {
      await importOf(call)
      return eventsOf((signal) => progressOf(call, signal))
    },
  }),
  get('/v1/apps/:appId/channels/:uuid/imports/:id/unknown-users', {
    ...ADMIN,
    right: 'campaign',
    summary: 'Download the lines of a subscriber file whose user does not exist',
    description: 'One identifier a line, so that the file can be imported again. At most the first 1000 are kept.',
    audit: 'channels.imports.export',
    produces: 'text/csv',
    headers: {
      'Content-Disposition': ['The name under which a browser saves it.', 'attachment; filename="unknown-users.csv"'],
    },
    also: NO_FILE,
    run: async (call) => {
      const { tx, appId, params } = call
      const channel = await tx.channels.get(appId, { uuid: params.uuid! })
      const { unknownLines } = await tx.channelImports.get(channel, params.id!)
      call.note({ target: `${params.uuid}/${params.id}` })
      return new Reply(200, new Text(csvOf(unknownLines), 'text/csv; charset=utf-8'), {
        'Content-Disposition': 'attachment; filename="unknown-users.csv"',
      })
    },
  }),
]

type ImportCall = Pick<Call<unknown, unknown>, 'program' | 'appId' | 'params'>

async function importOf({ program, appId, params }: ImportCall) {
  const channel = await program.channels.get(appId, { uuid: params.uuid! })
  return program.channelImports.find(channel, params.id!)
}

/** The progress whenever it changes, until the file is through, or the channel is gone. */
async function* progressOf(call: ImportCall, signal: AbortSignal) {
  for (let before = ''; !signal.aborted; ) {
    const now = presentImport(await importOf(call))
    const said = `${now.state} ${now.processed}`
    if (said !== before) yield { event: 'progress', data: now }
    before = said
    if (now.state === 'done' || now.state === 'failed') return
    await call.program.kernel.clock.sleep(LOOK_AGAIN_MS, signal)
  }
}
