import { mintKey } from '../../platform/crypto/ids.ts'

/** A new value of a session cookie. */
export const mintSession = (): string => mintKey('as')

const TOKEN = 'appsvc_pt'
/** A personal token. The prefix lets scanners of secrets find one that was published. */
export const mintToken = (): string => mintKey(TOKEN)
export const isToken = (text: string): boolean => text.startsWith(`${TOKEN}_`)
/** The part that may be shown later. */
export const hintOfToken = (token: string): string => `${token.slice(0, TOKEN.length + 5)}…`

/** A new secret for the end of a one-time link. */
export const mintOneTime = (): string => mintKey('once')
