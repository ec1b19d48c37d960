import { join } from 'node:path'
import { expect } from 'chai'
import type { Role } from '../../src/domain/admins/types.ts'
import { makeMasterKey } from '../../src/platform/crypto/vault.ts'
import { addPerson } from '../support/people.ts'
import { onPostgres, openTestProgram, type TestProgram } from '../support/program.ts'
import { raceAgainst } from '../support/race.ts'
import { run } from './cli.ts'

/** SQLite has one writer: only PostgreSQL lets a command meet a change. */
onPostgres('a command that takes roles away from somebody', () => {
  let test: TestProgram
  let url: string
  beforeEach(async () => {
    test = await openTestProgram({ kind: 'postgres', via: async (given) => (url = given) })
    makeMasterKey(join(test.dir, 'master.key'), Buffer.alloc(32, 7))
    await addPerson(test.program)
  })
  afterEach(() => test.close())

  const everywhere = (role: Role) => [{ appId: null, role }]

  for (const [action, argv] of [
    ['admins.roles', (email: string) => ['admins', 'roles', email, '--role', 'viewer']],
    ['admins.delete', (email: string) => ['admins', 'delete', email, '--yes']],
  ] as const) {
    it(`notes those that it found, also while they are changed: ${action}`, async () => {
      const { id, email } = await addPerson(test.program)
      const { two, hadToWait } = await raceAgainst(
        test.program,
        async ({ admins }, meet) => {
          await admins.setRoles(id, everywhere('marketer'))
          await meet()
        },
        () => run([...argv(email), '--data-dir', test.dir], { environment: { APPSVC_DATABASE_URL: url } }),
      )
      expect(two).to.have.nested.property('value.stderr', '')
      expect(hadToWait).to.equal(true)
      const [row] = (await test.program.audit.list({ limit: 1 })).entries
      expect(row).to.include({ action, who: 'command line' })
      expect(row!.before).to.deep.equal({ roles: everywhere('marketer') })
    })
  }
})
