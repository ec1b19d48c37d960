import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { askedOf, isRouteName, routeOf } from '../../src/cli/remote/asked.ts'
import { PLACES, type RouteName, type Served } from '../../src/cli/remote/rights.ts'
import { createCommandRunner } from '../../src/cli/remote/runner.ts'
import { runCommandLine } from '../../src/cli/run.ts'
import type { Role, TokenScope } from '../../src/domain/admins/types.ts'
import { COMMAND_TYPE } from '../../src/server/admin/command-request.ts'
import { offerCommands } from '../../src/server/admin/command-runner.ts'
import { reaches } from '../support/depth.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addPerson } from '../support/people.ts'
import { RIGHTS_PAGE, rightsPage } from '../support/rights-page.ts'
import { commandLines } from './command-lines.ts'

const ALL: TokenScope[] = ['see', 'campaign', 'operate', 'own', 'confirmed']
const ROLES: readonly Role[] = ['viewer', 'marketer', 'operator', 'owner']

/** Commands without a route of the same effect, and why there is none. */
const ALONE: Readonly<Record<string, string>> = {
  'apps:list': 'GET /apps asks for no right, as this does: both show the apps in which somebody has a role',
  'certificates:renew': 'the console shows certificates only',
  'import:airship': 'people move in by commands only',
  'import:branch': 'people move in by commands only',
  'import:csv': 'people move in by commands only',
  'import:delete': 'people move in by commands only',
  'import:expo': 'people move in by commands only',
  'import:firebase': 'people move in by commands only',
  'import:list': 'people move in by commands only',
  'import:onesignal': 'people move in by commands only',
  'import:parse': 'people move in by commands only',
  'import:pinpoint': 'people move in by commands only',
  release: 'a hold is released by commands only',
  'users:sign': 'identifiers are signed by servers and commands only',
}

interface Caller {
  who: string
  headers: Record<string, string>
  isMasked: boolean
}

const served = Object.entries(PLACES).filter((one): one is [string, Served] => typeof one[1] === 'object')
const paired = served.flatMap(([id, place]) => (isRouteName(place.needs) ? [{ id, place, needs: place.needs }] : []))

describe('rights of commands and of routes', () => {
  it('stand at the route, for every command that has one of the same effect', () => {
    const alone = served.filter(([, { needs }]) => !isRouteName(needs)).map(([id]) => id)
    expect(alone.toSorted()).to.deep.equal(Object.keys(ALONE).toSorted())
    for (const { id, place, needs } of paired) {
      const { right, fresh } = routeOf(needs)
      expect(askedOf(place), id).to.include({ right, isConfirmed: fresh === true })
      expect(needs.includes('@'), id).to.equal(place.in === 'app' || id === 'links:check')
    }
  })

  it('are what docs/reference/rights.md says', () => {
    expect(readFileSync(RIGHTS_PAGE, 'utf8'), 'run "npm run openapi"').to.equal(rightsPage())
  })

  it('write with a command only what a route writes, and read the same way', () => {
    const differ = paired.filter(({ place, needs }) => place.writes === needs.startsWith('GET ')).map(({ id }) => id)
    // Looking by POST; an export is noted as a change is.
    const looking = ['gateways:check', 'in-app:preview', 'push-templates:preview', 'push:preview', 'templates:preview']
    expect(differ).to.have.members([...looking, 'users:export'])
  })

  it('are those that the issue named: what a marketer could do by one door only', () => {
    const rightOf = (id: string) => askedOf(PLACES[id] as Served)
    expect(rightOf('events:tail').right).to.equal('operate')
    expect(rightOf('users:export')).to.deep.equal({ right: 'operate', isConfirmed: true, isNoted: true })
    for (const id of ['apps:restrain', 'links:settings', 'metrics:set', 'push:test', 'status'])
      expect(rightOf(id).right, id).to.equal('operate')
  })

  describe('admit and refuse the same people at both doors:', () => {
    let test: TestServer
    let callers: Caller[]
    /**
     * Chooses the callers of a pair. Of pairs that ask for the same, the first is tried with everybody, and the others in `npm test` with one caller for each pair of answers that the
     * first gave: what decides is one function of what is asked and who asks.
     */
    const tellingOf = new Map<string, Caller[]>()
    const lines = new Map(commandLines({ file: (name) => name }).map((row) => [row.id, row]))

    before(async () => {
      test = await openTestServer()
      const { program } = test
      await program.inTransaction((tx) => tx.apps.change(test.first.id, { name: 'Shop' }))
      offerCommands(program, createCommandRunner(runCommandLine))
      callers = []
      for (const role of ROLES) {
        const add = async (who: string, scopes: TokenScope[], tokenApp: number | null = null) => {
          const { token } = await addPerson(program, { roles: [{ appId: null, role }], scopes, tokenApp })
          callers.push({
            who: `${role}, ${who}`,
            headers: { authorization: `Bearer ${token}` },
            isMasked: role === 'viewer',
          })
        }
        await add('token', ALL)
        await add('token without confirmed', ALL.slice(0, -1))
        if (role === 'owner')
          await add(
            'token of another app',
            ALL,
            (await program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))).id,
          )
        if (role === 'viewer' || role === 'operator') continue
        const { cookie } = await addPerson(program, { roles: [{ appId: null, role }] })
        callers.push({
          who: `${role}, old session`,
          headers: { cookie, origin: test.address },
          isMasked: false,
        })
      }
      for (const scope of ALL.slice(0, -1)) {
        const { token } = await addPerson(program, { scopes: [scope, 'confirmed'] })
        callers.push({ who: `owner, only ${scope}`, headers: { authorization: `Bearer ${token}` }, isMasked: false })
      }
      const { token } = await addPerson(program, { roles: [] })
      callers.push({ who: 'nobody', headers: { authorization: `Bearer ${token}` }, isMasked: true })
      // The sessions are not fresh any more.
      test.clock.advance(11 * 60_000)
    })
    after(() => test.close())

    /** Returns the refusal of a route; undefined when it gets behind the check of rights. */
    async function refusedByRoute(needs: RouteName, headers: Record<string, string>): Promise<string | undefined> {
      const [method, path] = needs.split(' ') as [string, string]
      // Deleting the app itself would end the others.
      const appId =
        needs === 'DELETE @'
          ? (await test.program.inTransaction((tx) => tx.apps.create({ name: 'Doomed' }))).id
          : test.first.id
      const at = `/admin/v1${path.replace('@', `/apps/${appId}`).replace(/:\w+/g, '999')}`
      const { status, body } = await test.call(method, at, {
        auth: 'none',
        headers,
        ...(!/GET|DELETE/.test(method) && { body: {} }),
      })
      const said = String((body as { error?: unknown } | undefined)?.error)
      if (status === 401 || said.startsWith('there is no app ')) return said
      return status === 403 && /the right|scope confirmed|fresh sign-in/.test(said) ? said : undefined
    }

    /** Returns the refusal of a command with a file in the request: its bytes are taken in only behind the check of rights. */
    async function refusedByCommand(id: string, headers: Record<string, string>): Promise<string | undefined> {
      const { argv } = lines.get(id)!
      const given = typeof argv === 'function' ? argv(EVERY) : argv
      const head = {
        version: '1',
        words: [
          ...id.split(':'),
          ...given.flatMap((word) => (word === 'Shop' && !given.includes('--app') ? ['--app', word] : [word])),
        ],
        terminal: { stdin: false, stdout: false, stderr: false },
        variables: {},
        // More than there is: the body ends too early, but only if it is read.
        files: [{ name: '-', size: 9 }],
        outputs: [],
        answers: [],
      }
      const body = new FormData()
      body.set('command', new Blob([`${JSON.stringify(head)}\n`], { type: COMMAND_TYPE }), 'command')
      const answer = await fetch(`${test.address}/admin/v1/commands`, { method: 'POST', headers, body })
      const { error, errors } = (await answer.json()) as { error: string; errors?: { file?: string[] } }
      if (answer.status === 422 && errors?.file?.[0] === 'ended too early') return undefined
      expect(answer.status, `${head.words.join(' ')}: ${error}`).to.equal(403)
      return error
    }
    const EVERY = new Proxy({}, { get: () => ({ id: 1, uid: '1', uuid: '1' }) })

    for (const { id, place, needs } of paired) {
      it(`${id} and ${needs}`, async () => {
        const what = JSON.stringify([askedOf(place), place.in, place.people, place.writes, needs.split(' ')[0]])
        const telling = reaches('whole') ? undefined : tellingOf.get(what)
        const answers = new Map<string, Caller>()
        for (const caller of telling ?? callers) {
          const { who, headers, isMasked } = caller
          const byRoute = await refusedByRoute(needs, headers)
          const byCommand = await refusedByCommand(id, headers)
          answers.set(`${byRoute} ${byCommand}`, caller)
          // A command shows everything or nothing: what a route masks it does not show at all.
          const isExpected =
            place.people && isMasked ? byCommand !== undefined : (byRoute === undefined) === (byCommand === undefined)
          // The command checks any domain, and the route that of the app.
          if (place.in === 'server' && needs.includes('@')) continue
          expect(isExpected, `${who}: the route says ${byRoute}, the command ${byCommand}`).to.equal(true)
        }
        if (!telling) tellingOf.set(what, [...answers.values()])
      })
    }
  })
})
