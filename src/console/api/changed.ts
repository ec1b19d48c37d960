import { ApiError } from './errors.ts'

/** Code of the error of `refuseChanged`. */
export const CHANGED = 'changed'

/** Members that change by themselves, while nobody edits anything. */
const COUNTS = new Set(['activeUsers', 'activationCount', 'lookups', 'clicks', 'state', 'updatedAt'])

/** The edited members of a thing as one text, to compare two states of it. */
export const editedText = (of: object): string =>
  JSON.stringify(Object.fromEntries(Object.entries(of).filter(([name]) => !COUNTS.has(name))))

/**
 * Reads again what somebody began to edit, before it is written: a write must not take back what somebody else has written meanwhile.
 * Throws `ApiError` with the code `changed`, and what reading throws.
 */
export async function refuseChanged(before: object, read: () => Promise<object>): Promise<void> {
  if (editedText(await read()) !== editedText(before)) throw changedError()
}

export function changedError(): ApiError {
  const says =
    'Somebody else has changed this since you opened it. What you wrote is still here, and nothing is saved yet.'
  return new ApiError(409, says, CHANGED)
}
