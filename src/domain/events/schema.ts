import { checked, documented, jsonObject } from '../../platform/values/parse.ts'
import { MAX_ID_LENGTH } from '../crm/schema.ts'
import { MAX_BATCH } from './ingest/envelope.ts'

const identifier = { type: 'string', minLength: 1, maxLength: MAX_ID_LENGTH }

/** Body of an upload: an array. envelope.ts checks its items one by one. */
export const eventBatch = documented(
  checked<unknown[]>((value) => (Array.isArray(value) ? {} : { '': ['must be an array of events'] })).required(),
  {
    type: 'array',
    maxItems: MAX_BATCH,
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

/** Body of `POST events` of a server. server-events.ts checks its items one by one. */
export const serverEventBatch = documented(
  checked<unknown[]>((value) => (Array.isArray(value) ? {} : { '': ['must be an array of events'] })).required(),
  {
    type: 'array',
    maxItems: MAX_BATCH,
    items: {
      title: 'ServerEvent',
      type: 'object',
      properties: {
        userId: { type: ['string', 'integer'] },
        type: { ...identifier, pattern: '^(?!k\\.)' },
        uuid: identifier,
        timestamp: { type: 'number', minimum: 0 },
        data: { type: ['object', 'null'] },
      },
      required: ['userId', 'type', 'uuid', 'timestamp'],
    },
  },
)

/** Body of the calls that older SDKs make instead of sending an event. It is read as leniently as an event's data. */
export const legacyData = jsonObject().required()
