import { AppError } from '../../platform/errors.ts'

/**
 * Runs `work`; its errors name the flags of the command instead of the fields of the request that the command makes. `flags` has the name
 * of the flag, without dashes, by field: `content.title` or, with what is in it, `content`. Other fields keep their names.
 */
export async function inFlagNames<T>(flags: Readonly<Record<string, string>>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw named(error, flags)
  }
}

function named(error: unknown, flags: Readonly<Record<string, string>>): unknown {
  if (!(error instanceof AppError) || !error.details.fields) return error
  const merged: Record<string, Set<string>> = {}
  for (const [path, messages] of Object.entries(error.details.fields)) {
    // A command that makes one of several sends a list of one; and a flag that is repeated is a list.
    const field = path.replace(/^\[0\]\./, '').replace(/\[\d+\]$/, '')
    const flag = flags[field] ?? flags[field.split('.')[0]!]
    const name = flag === undefined ? path : `--${flag}`
    merged[name] = new Set([...(merged[name] ?? []), ...messages])
  }
  const fields = Object.fromEntries(Object.entries(merged).map(([name, messages]) => [name, [...messages]]))
  return new AppError(error.code, error.message, { ...error.details, fields })
}
