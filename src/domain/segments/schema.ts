import { isStorable } from '../../platform/json/json.ts'
import { checked, documented, flag, integer, shape, text } from '../../platform/values/parse.ts'
import { readFilter } from './filter.ts'
import type { Filter, SegmentKey } from './types.ts'

const name = text({ max: 255 })

/** A filter tree (docs/segments.md). The service checks whether its channels and geofences exist. */
const filter = documented(
  checked<Filter>((value) => readFilter(value).errors ?? {}),
  {
    type: 'object',
    description:
      'A condition {"field", "op", "value"}, or {"and": [filters]}, {"or": [filters]}, {"not": filter}; see docs/segments.md',
  },
)

/** Body of creating a segment. */
export const createSegment = shape({ name: name.defined(), filter: filter.required() }).required()

/** Body of changing a segment: absent fields are left unchanged. */
export const updateSegment = shape({ name, filter }).required()

/** Query of the list: `after` is the `next` of the previous page. */
export const segmentsPage = shape({
  after: integer({ min: 1 }),
  limit: integer({ min: 1, max: 1000 }).default(50),
})

/** Reads the id or uuid by which a URL or command names a segment. */
export function segmentKey(given: string): SegmentKey {
  const id = /^[1-9]\d{0,15}$/.test(given) ? Number(given) : Number.NaN
  return Number.isSafeInteger(id) ? { id } : { uuid: isStorable(given) ? given : '' }
}

/** A filter that is not stored, under the key that errors use. */
export const filterOnly = shape({ filter: filter.required() }).required()

/** Body of counting a filter that is not stored. With `isWhole` every install is checked, however long it takes. */
export const countFilter = shape({ filter: filter.required(), isWhole: flag().default(false) }).required()

/** Body of counting a stored segment. As `countFilter`. */
export const countSegment = shape({ isWhole: flag().default(false) })
