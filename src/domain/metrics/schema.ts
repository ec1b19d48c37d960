import { isPlainObject } from '../../platform/json/json.ts'
import { pathRule, readJsonPath } from '../../platform/json/path.ts'
import { checked, closedShape, documented, flag, text } from '../../platform/values/parse.ts'
import { MAX_ID_LENGTH } from '../crm/schema.ts'
import { DATA, readWhere } from './where.ts'

/** The sentence that goes with a wrong name. */
export const METRIC_NAME_RULE = 'must have 1 to 64 of the characters a-z A-Z 0-9 . _ - and begin with a letter or digit'

/** Tells whether a text may be the name of a metric, which is used in addresses, on command lines and in segments. */
export function isMetricName(name: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,63}$/i.test(name)
}

/** Longest `where` in bytes of JSON. */
const MAX_WHERE = 16_384

const where = documented(
  checked<Record<string, unknown>>((given) => {
    const { errors = {} } = readWhere(given)
    if (Object.keys(errors).length > 0 || !isPlainObject(given)) return errors
    return Buffer.byteLength(JSON.stringify(given)) > MAX_WHERE ? { '': [`is longer than ${MAX_WHERE} bytes`] } : {}
  }),
  {
    type: 'object',
    description:
      'Which of the events count: a condition {"field": "data.NAME", "op", "value"}, or {"and": […]}, {"or": […]}, {"not": …}',
  },
).nullable()

const value = documented(
  checked<string>((given) =>
    typeof given === 'string' && readJsonPath(DATA, given) ? {} : { '': [`must be ${pathRule(DATA)}`] },
  ),
  { type: 'string', maxLength: MAX_ID_LENGTH },
).nullable()

/** Body of `PUT metrics/{name}`. An unknown key is wrong: a misspelt `where` would count everything. */
export const metricForm = closedShape(
  { event: text({ max: MAX_ID_LENGTH }).required(), where, value, backfill: flag() },
  // What the record of a metric says besides.
  ['id', 'name', 'since', 'backfilled'],
).required()
