import type { App } from '../../src/app.ts'
import type { RoleIn, TokenScope } from '../../src/domain/admins/types.ts'

/** A person of the admin interface with a session and a personal token. Without a password, because hashing takes long. */
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

/** An owner of the whole server with all scopes, unless told otherwise. */
export async function addPerson(
  app: App,
  {
    roles = [{ appId: null, role: 'owner' }],
    scopes = ['see', 'campaign', 'operate', 'own', 'confirmed'],
    tokenApp = null,
  }: { roles?: RoleIn[]; scopes?: TokenScope[]; tokenApp?: number | null } = {},
): Promise<TestPerson> {
  const email = `person-${++made}@example.com`
  const name = `Person ${made}`
  return app.inTransaction(async (tx) => {
    const { id } = await tx.admins.add({ email, name, password: null, roles })
    const opened = await tx.sessions.open(id, { remote: '127.0.0.1', agent: 'test' })
    const { text } = await tx.personalTokens.create(id, { name: 'test', scopes, appId: tokenApp, days: null })
    return { id, email, name, cookie: `appsvc=${opened.id}`, token: text }
  })
}
