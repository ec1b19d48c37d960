import { MAX_BATCH } from '../../domain/events/ingest/envelope.ts'
import { eventBatch } from '../../domain/events/schema.ts'
import { hasText } from '../../platform/json/numbers.ts'
import { ingestAnswer, presentRefused } from '../../present/errors.ts'
import { MEETING } from '../limits/caps.ts'
import { EVENT } from '../openapi/words/devices.ts'
import { post, type Route } from '../routing/route.ts'
import { takeEvents } from './taking.ts'

/** Routes for everything that devices report (docs/reference/device-protocol.md section 4, E1). */
export const eventRoutes: Route[] = [
  post('/v1/app-installs/:installId/events', {
    area: 'events',
    summary: 'Upload events of an install',
    description:
      'The batch is stored before the answer. An event is stored once, however often it is sent. Events that cannot be used are ' +
      'listed in `refused`; the others are accepted. Creates the install on first sight.',
    sends: [EVENT],
    needs: 'device-key',
    body: eventBatch,
    bodyLimit: 'limits.deviceBody',
    device: true,
    unkept: { asText: hasText, byRun: true },
    status: 202,
    returns: ingestAnswer,
    transaction: 'shared',
    also: { ...MEETING, 413: `More than ${MAX_BATCH} events, or a body beyond limits.deviceBody` },
    run: async (call) => {
      const { refused, trimmed } = await takeEvents(call, call.params.installId!, call.body)
      return { ...presentRefused(refused), ...(trimmed && { trimmed }) }
    },
  }),
]
