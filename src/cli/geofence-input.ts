import { AppError } from '../platform/errors.ts'
import { textArg } from './base.ts'
import { readInput } from './input.ts'
import type { Io } from './io.ts'

/** The arguments of commands about one geofence. */
export const geofenceArgs = {
  app: textArg({ required: true, description: 'id or name of the app' }),
  id: textArg({ required: true, description: 'id of the geofence' }),
}

/** The JSON of a file, unchecked; `-` is standard input. Throws `not_found` and `bad_request`. */
export async function readGeofenceFile(io: Io, file: string): Promise<unknown> {
  const bytes = await readInput(io, file, '--file')
  const { parseJsonBytes } = await import('../platform/parse.ts')
  try {
    return parseJsonBytes(bytes)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid') throw error
    throw new AppError('bad_request', `--file ${error.details.fields?.['']?.[0] ?? error.message}`)
  }
}
