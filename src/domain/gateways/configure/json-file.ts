import { AppError, isAppError } from '../../../platform/errors.ts'
import { isPlainObject, jsonProblem, parseJsonBytes } from '../../../platform/json/json.ts'
import type { Block } from '../gateway.ts'

/** Reads a file that holds one JSON object. `what` names it in messages, `hint` follows them. Throws `invalid`. */
export function readJsonObject(bytes: Buffer, what: string, hint = ''): Block {
  let file: unknown
  try {
    file = parseJsonBytes(bytes)
  } catch (error) {
    const isJson = isAppError(error) && error.details.fields?.[''] === undefined
    throw new AppError('invalid', isJson ? `${what}: ${jsonProblem(error)}` : `${what} is not a JSON file${hint}`)
  }
  if (!isPlainObject(file)) throw new AppError('invalid', `${what} must hold a JSON object`)
  return file
}
