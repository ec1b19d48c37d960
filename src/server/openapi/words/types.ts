/**
 * What the document says of operations, schemas and fields; a file for each area in `words/`. A field is found by the
 * longest end of its path that has an entry: `Channel.name` for the name of a channel, `name` for all other names. So
 * a field that means the same everywhere is described once.
 */
export interface Words {
  /** `get /v1/geofences`, or `post /push/v2/notifications` where the areas differ. */
  operations?: Record<string, OperationWords>
  /** By title; the example is only needed where the members' own do not make a good one. */
  schemas?: Record<string, readonly [description: string, example?: unknown]>
  fields?: Record<string, readonly [description: string, example?: unknown]>
}

/** Of an operation: what its summary and schemas do not say. */
interface OperationWords {
  description: string
  /** The name of its body among the schemas. */
  takes?: string
  /** An example of its body. */
  sends?: unknown
}
