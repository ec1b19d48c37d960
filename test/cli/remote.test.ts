import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { COMMANDS } from '../../src/cli/commands.ts'
import { PLACES } from '../../src/cli/remote/rights.ts'
import { loadConfig } from '../../src/config.ts'
import { openProgram } from '../../src/open.ts'
import { silentLog } from '../../src/platform/log/log.ts'
import { run, temporaryDirectory } from './cli.ts'
import { commandLines, type Made } from './command-lines.ts'
import { type CommandServer, openCommandServer } from './remote-server.ts'

const { dir, end } = temporaryDirectory()

/** Text without what differs between two worlds: keys, ids that are drawn, and times. */
function comparable(text: string, replace: Record<string, string>): string {
  const known = Object.entries(replace).reduce((all, [from, to]) => all.replaceAll(from, to), text)
  return (
    known
      .replace(/\b[adrsu]k_[\w-]+…?/g, 'KEY')
      .replace(/\bwhsec_[\w+/=-]+/g, 'SECRET')
      .replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'UUID')
      .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?([+-]\d{4}|Z)?/g, 'TIME')
      .replace(/"(tookMs|freeBytes|lagSeconds)":[\d.]+/g, '"$1":N')
      .replace(/\ba?[\da-f]{10,64}(?=\b|…)/g, 'DRAWN')
      // Whole seconds that are left, of two calls one after the other.
      .replace(/\b(ttl"?: ?"?)\d+/gi, '$1N')
      .replace(/\bonce_[\w-]+/g, 'ONCE')
      .replace(/\bB[\w-]{80,}/g, 'PUBLIC')
      .replace(/"createdAt":\d{13}/g, '"createdAt":N')
      .replace(/…[\w+/]{3,4}=*/g, '…HINT')
      .replace(/\bsu1\.\S+?\.[\w-]{20,}/g, 'SIGNED')
      .replace(/\b[\d.]+ [MGT]iB/g, 'N MiB')
      .replace(/\b\d+(\.\d+)? ?ms\b/g, 'N ms')
  )
}

describe('a command on the server of another machine', () => {
  let server: CommandServer
  const worlds = { here: join(dir, 'here'), there: join(dir, 'there') }
  const file = (world: string) => (name: string) => join(world, name)
  before(async () => {
    for (const world of Object.values(worlds)) {
      mkdirSync(world)
      writeFileSync(join(world, 'subscribers.csv'), 'nobody\n')
    }
    server = await openCommandServer(join(worlds.there, 'data'))
    // The owner who calls the other server is a person there.
    const { config } = await loadConfig({ environment: { APPSVC_DATA_DIR: join(worlds.here, 'data') } })
    await run(['migrate', 'up', '--data-dir', config.dataDir])
    const program = openProgram({ config, log: silentLog })
    const { email, name } = server.owner
    await program.inTransaction((tx) =>
      tx.admins.add({ email, name, password: null, roles: [{ appId: null, role: 'owner' }] }),
    )
    await program.close()
  })
  after(async () => {
    await server.close()
    end()
  })

  it('has a place for every command, and for no other', () => {
    expect(Object.keys(PLACES).sort()).to.deep.equal(Object.keys(COMMANDS).sort())
  })

  describe('prints the same, writes the same files and ends with the same code', () => {
    const lines = { here: commandLines({ file: file(worlds.here) }), there: commandLines({ file: file(worlds.there) }) }
    const made: { here: Made; there: Made } = { here: {}, there: {} }
    for (const [i, row] of lines.here.entries()) {
      const place = PLACES[row.id]!
      // What people did is different: here nobody signs in.
      if (typeof place === 'string' || row.id === 'audit') continue
      const other = lines.there[i]!
      for (const json of place.writes ? [true] : [true, false]) {
        it(`${row.id}${json ? ' --json' : ''}`, async () => {
          const argvOf = ({ argv }: typeof row, all: Made) => [
            ...row.id.split(':'),
            ...(typeof argv === 'function' ? argv(all) : argv),
            ...(json ? ['--json'] : []),
          ]
          const options = { stdin: row.stdin ?? '' }
          const environment = { APPSVC_DATA_DIR: join(worlds.here, 'data') }
          const here = await run(argvOf(row, made.here), { ...options, environment })
          const there = await server.there(argvOf(other, made.there), options)
          const same = (text: string, world: string) => comparable(text, { [world]: 'WORLD' })
          expect(same(there.stderr, worlds.there)).to.equal(same(here.stderr, worlds.here))
          expect(same(there.stdout, worlds.there)).to.equal(same(here.stdout, worlds.here))
          expect(there.code, there.stderr).to.equal(here.code)
          if (json) {
            made.here[row.id] = here.json()
            made.there[row.id] = there.json()
          }
          for (const name of ['offer.svg', 'books.csv']) {
            expect(existsSync(join(worlds.there, name))).to.equal(existsSync(join(worlds.here, name)))
          }
        })
      }
    }

    it('and the files have the same size', () => {
      for (const name of ['offer.svg', 'books.csv']) {
        const [here, there] = [readFileSync(join(worlds.here, name)), readFileSync(join(worlds.there, name))]
        expect(there.subarray(0, 4)).to.deep.equal(here.subarray(0, 4))
        expect(there.length).to.be.above(0)
      }
    })
  })
})
