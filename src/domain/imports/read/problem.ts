import { ExtendedJsonError } from '../../../platform/text/extended-json.ts'
import type { Converted, Source } from '../types.ts'

/** Why a row is refused, thrown by readers deep inside of a conversion. The message is the problem of the row. */
export class RowProblem extends Error {}

/** A source whose conversion refuses a row in which a value cannot be read, instead of throwing. */
export function refusingRows(source: Source): Source {
  return {
    ...source,
    convert(row, options): Converted {
      try {
        return source.convert(row, options)
      } catch (error) {
        if (error instanceof RowProblem || error instanceof ExtendedJsonError) return { problem: error.message }
        throw error
      }
    },
  }
}
