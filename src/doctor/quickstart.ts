import type { Install } from '../domain/crm/types.ts'
import type { Areas } from '../program.ts'

/** The values that a snippet is filled in with. A key that is not known is its name in capitals. */
export interface SnippetValues {
  /** The address of the server. */
  url: string
  apiKey: string
  secretKey: string
  serverKey: string
}

/** Names in place of keys that are not known. */
const UNKNOWN_KEYS = { apiKey: 'API_KEY', secretKey: 'SECRET_KEY', serverKey: 'SERVER_KEY' } as const

/** The values that are filled into code to begin with an app, and its first install. */
export interface Quickstart {
  values: SnippetValues
  /** The first install that can be reached, or else the first; undefined while none has reported. */
  firstInstall: Install | undefined
}

/** The first installs are looked through for one that can be reached. */
const FIRST_INSTALLS = 20

/** Reads how to begin with an app. `known`: keys that the caller knows, because they have just been made. */
export async function readQuickstart(
  { apps, crm }: Pick<Areas, 'apps' | 'crm'>,
  appId: number,
  known: Partial<SnippetValues> & { url: string },
): Promise<Quickstart> {
  const keys = await apps.keys(appId)
  const current = keys.findLast(({ kind, expiresAt }) => kind === 'api' && expiresAt === null)
  const apiKey = current?.value ?? UNKNOWN_KEYS.apiKey
  return { values: { ...UNKNOWN_KEYS, apiKey, ...known }, firstInstall: await firstOf(crm, appId) }
}

/** The first install of an app that can be reached, or else the first. */
export async function firstOf(crm: Pick<Areas['crm'], 'listInstalls'>, appId: number): Promise<Install | undefined> {
  const installs = await crm.listInstalls(appId, 0, FIRST_INSTALLS)
  return installs.find(({ subscribed }) => subscribed) ?? installs[0]
}
