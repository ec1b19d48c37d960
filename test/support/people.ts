import { scryptSync } from 'node:crypto'
import type { RoleIn, TokenScope } from '../../src/domain/admins/types.ts'
import type { Program } from '../../src/program.ts'

/** A person of the admin interface with a session and a personal token. */
export interface TestPerson {
  id: number
  email: string
  name: string
  /** The session of the cookie: `cookie` is the whole header. */
  cookie: string
  /** A personal token. */
  token: string
}

let made = 0

/**
 * A digest as the program stores it, of the least cost: a password is then checked in no time. One that the program
 * makes takes a tenth of a second or two, to be made and to be compared with.
 */
export function quickDigest(password: string): string {
  const cost = { N: 2, r: 1, p: 1 }
  const salt = Buffer.from('salt of the tests')
  const digest = scryptSync(password.normalize('NFKC'), salt, 32, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), digest.toString('base64url')].join('$')
}

/** An owner of the whole server with all scopes, unless told otherwise. */
export async function addPerson(
  program: Program,
  {
    roles = [{ appId: null, role: 'owner' }],
    scopes = ['see', 'campaign', 'operate', 'own', 'confirmed'],
    tokenApp = null,
    password,
  }: { roles?: RoleIn[]; scopes?: TokenScope[]; tokenApp?: number | null; password?: string } = {},
): Promise<TestPerson> {
  const email = `person-${++made}@example.com`
  const name = `Person ${made}`
  return program.inTransaction(async (tx) => {
    const { id } = await tx.admins.add({
      email,
      name,
      password: password === undefined ? null : quickDigest(password),
      roles,
    })
    const opened = await tx.sessions.open(id, { remote: '127.0.0.1', agent: 'test' })
    const { text } = await tx.personalTokens.create(id, { name: 'test', scopes, appId: tokenApp, days: null })
    return { id, email, name, cookie: `appsvc=${opened.id}`, token: text }
  })
}
