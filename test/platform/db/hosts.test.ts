import { expect } from 'chai'
import { connectToHost, hostsOf, openClient } from '../../../src/platform/db/hosts.ts'
import { AppError } from '../../../src/platform/errors.ts'
import { dropPostgresDatabase, freshPostgresDatabase } from '../../support/postgres.ts'
import { onPostgres } from '../../support/program.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'

describe('hosts of a database address', () => {
  const ROWS: [string, string[], string][] = [
    ['postgres://u:p@a:1/d', ['postgres://u:p@a:1/d'], 'any'],
    ['postgres://a/d?sslmode=require', ['postgres://a/d?sslmode=require'], 'any'],
    [
      'postgres://u:p%2C@a:1,b,[::1]:3/d?target_session_attrs=read-write&x=1,2',
      ['a:1', 'b', '[::1]:3'].map((host) => `postgres://u:p%2C@${host}/d?target_session_attrs=read-write&x=1,2`),
      'read-write',
    ],
    ['postgresql://a,b', ['postgresql://a', 'postgresql://b'], 'any'],
    // What nobody has escaped stays a part of the password, and no host that is asked for.
    ['postgres://u:p,q@r,s@a:1/d', ['postgres://u:p,q@r,s@a:1/d'], 'any'],
    ['postgres:///d?host=/run/postgresql', ['postgres:///d?host=/run/postgresql'], 'any'],
  ]
  for (const [url, addresses, wants] of ROWS) {
    it(`of ${url}`, () => {
      expect(hostsOf(url)).to.deep.equal({ addresses, wants })
    })
  }

  it('with a kind of session that libpq does not know are refused', () => {
    expect(() => hostsOf('postgres://a,b/d?target_session_attrs=best')).to.throw(/must be one of any, read-write/)
  })

  it('that cannot be hosts are refused by their number, because they may be a part of a password', () => {
    const wrong: [url: string, host: number][] = [
      ['postgres://u:p@a:99999/d', 1],
      ['postgres://u:p@a,b:port/d', 2],
      ['postgres://u:p@a,/d', 2],
      ['postgres://u:secret/p@a/d', 1],
    ]
    for (const [url, host] of wrong) {
      const refuse = () => hostsOf(url)
      expect(refuse, url).to.throw(AppError, `host ${host} of the database address is not one`)
      expect(refuse, url).to.not.throw('secret')
    }
  })
})

onPostgres('a database address with several hosts', function () {
  this.timeout(PROGRAMS_MS)
  let url: string
  before(async () => {
    url = await freshPostgresDatabase({ migrated: false })
  })
  after(() => dropPostgresDatabase(url))

  /** The address with a host before it at which nobody listens, and a kind of session. */
  const withMore = (kind: string) => {
    const several = new URL(url)
    several.searchParams.set('target_session_attrs', kind)
    return several.href.replace(`@${several.host}`, `@127.0.0.1:1,${several.host}`)
  }

  it('leads to the first that answers and is of the kind', async () => {
    for (const kind of ['any', 'read-write', 'primary', 'prefer-standby']) {
      const client = await openClient(withMore(kind))
      expect((await client.query('SELECT 1 AS one')).rows, kind).to.deep.equal([{ one: 1 }])
      await client.end()
    }
  })

  it('tries the host of the last time first', async () => {
    const tried: string[] = []
    const open = (address: string) => {
      tried.push(new URL(address).port)
      return openClient(address)
    }
    const port = new URL(url).port
    for (let i = 0; i < 2; i++) await (await connectToHost(withMore('any'), open)).end()
    expect(tried.at(-1)).to.equal(port)
    expect(tried.slice(-2)).to.not.include('1')
  })

  it('of which none is of the kind is unavailable', async () => {
    for (const kind of ['standby', 'read-only']) {
      const several = new URL(url)
      several.searchParams.set('target_session_attrs', kind)
      const error = await openClient(several.href).catch((thrown: AppError) => thrown)
      expect(error).to.include({ code: 'unavailable' })
      expect((error as AppError).message).to.include(`a session that is ${kind}`)
    }
  })
})
