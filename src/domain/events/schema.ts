import { checked, jsonObject } from '../../platform/parse.ts'

/** Body of an upload: an array. Its items are judged one by one, see envelope.ts. */
export const eventBatch = checked<unknown[]>((value) =>
  Array.isArray(value) ? {} : { '': ['must be an array of events'] },
).required()

/** Body of the calls that older SDKs make instead of sending an event; read as leniently as the event's data. */
export const legacyData = jsonObject().required()
