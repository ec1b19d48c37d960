import { checked, documented, jsonObject } from '../../platform/parse.ts'
import { LONGEST_ID } from '../crm/schema.ts'
import { LARGEST_BATCH } from './envelope.ts'

const identifier = { type: 'string', minLength: 1, maxLength: LONGEST_ID }

/** Body of an upload: an array. Its items are judged one by one, see envelope.ts. */
export const eventBatch = documented(
  checked<unknown[]>((value) => (Array.isArray(value) ? {} : { '': ['must be an array of events'] })).required(),
  {
    type: 'array',
    maxItems: LARGEST_BATCH,
    items: {
      title: 'Event',
      type: 'object',
      properties: {
        type: identifier,
        uuid: identifier,
        timestamp: { type: 'number', minimum: 0 },
        data: { type: ['object', 'null'] },
        userId: { type: ['string', 'integer', 'null'] },
      },
      required: ['type', 'uuid', 'timestamp'],
    },
  },
)

/** Body of the calls that older SDKs make instead of sending an event; read as leniently as the event's data. */
export const legacyData = jsonObject().required()
