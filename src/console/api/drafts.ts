/** Drafts of forms, kept in this browser until they are sent. */

const PREFIX = 'appsvc.draft.'
const MAX_LENGTH = 100_000
const OLDEST_MS = 30 * 24 * 3600 * 1000

interface Draft {
  at: number
  value: unknown
  /** State of the edited thing when the draft was begun, as a text. */
  base?: string
}

/** The draft of that name, as it was given to `keepDraft`; undefined when there is none or it is older than a month. */
export function readDraft(name: string): unknown {
  return wholeDraft(name)?.value
}

/** Returns the state of the edited thing when the draft of that name was begun. */
export function baseOfDraft(name: string): string | undefined {
  return wholeDraft(name)?.base
}

function wholeDraft(name: string): Draft | undefined {
  const text = stored(() => localStorage.getItem(PREFIX + name))
  if (!text) return undefined
  try {
    const draft = JSON.parse(text) as Draft
    return Date.now() - draft.at < OLDEST_MS ? draft : undefined
  } catch {
    return undefined
  }
}

/** Keeps a draft; one that is too long, or a browser that keeps nothing, is no error. */
export function keepDraft(name: string, value: unknown, base?: string): void {
  const text = JSON.stringify({ at: Date.now(), value, ...(base !== undefined && { base }) } satisfies Draft)
  if (text.length <= MAX_LENGTH) stored(() => localStorage.setItem(PREFIX + name, text))
}

export function dropDraft(name: string): void {
  stored(() => localStorage.removeItem(PREFIX + name))
}

const OWNER = 'appsvc.drafts-of'

/** Says who writes drafts in this browser now: what somebody else left here is forgotten. */
export function ownDrafts(personId: number): void {
  const before = stored(() => localStorage.getItem(OWNER))
  if (before !== null && before !== undefined && before !== String(personId)) dropDrafts()
  stored(() => localStorage.setItem(OWNER, String(personId)))
}

/** Forgets all drafts, when a person signs out: the next one shall not read them. */
export function dropDrafts(): void {
  stored(() => {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key)
  })
}

function stored<T>(use: () => T): T | undefined {
  try {
    return use()
  } catch {
    // Browsers may refuse storage, or be full.
    return undefined
  }
}
