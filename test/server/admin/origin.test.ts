import { expect } from 'chai'
import type { Config } from '../../../src/platform/config/settings.ts'
import { isAppError } from '../../../src/platform/errors.ts'
import { checkOrigin, cookieOf, noCookies, sessionCookieOf } from '../../../src/server/admin/origin.ts'

interface Request {
  host?: string
  baseUrl?: string
  isEncrypted?: boolean
  origin?: string
  site?: string
  cookie?: string
}

const HERE = 'localhost:8080'
const SITE = 'push.example.com'

/** The request as the functions get it, and the settings. */
function asked({ host = HERE, baseUrl = '', isEncrypted = false, origin, site, cookie }: Request) {
  const headers = { origin, cookie, ...(site !== undefined && { 'sec-fetch-site': site }) }
  const req = { headers, socket: isEncrypted ? { encrypted: true } : {} }
  return [{ host, req } as Parameters<typeof checkOrigin>[0], { baseUrl } as Config] as const
}

/** Tells what a call says: its value, or the code of its refusal. */
function said(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return isAppError(error) ? error.code : error
  }
}

describe('a call with a session', () => {
  const pages: [string, Request, 'allowed' | 'forbidden'][] = [
    ['of the address of the request', { origin: `http://${HERE}` }, 'allowed'],
    ['of the address in other letters', { host: SITE.toUpperCase(), origin: `http://${SITE}` }, 'allowed'],
    ['of https, of which a proxy tells us nothing', { host: SITE, origin: `https://${SITE}` }, 'allowed'],
    ['of another port', { origin: 'http://localhost:8081' }, 'forbidden'],
    ['of another name', { host: SITE, origin: 'https://evil.example' }, 'forbidden'],
    ['without an address', { origin: 'null' }, 'forbidden'],
    ['that says no address', {}, 'forbidden'],
    ['of baseUrl, whatever the address', { baseUrl: `https://${SITE}`, origin: `https://${SITE}` }, 'allowed'],
    ['over http, to a connection with TLS', { isEncrypted: true, origin: `http://${HERE}` }, 'forbidden'],
    ['over https, to a connection with TLS', { isEncrypted: true, origin: `https://${HERE}` }, 'allowed'],
    [
      'over http, where baseUrl is https',
      { host: SITE, baseUrl: `https://${SITE}`, origin: `http://${SITE}` },
      'forbidden',
    ],
    ['over http, where another name has https', { baseUrl: `https://${SITE}`, origin: `http://${HERE}` }, 'allowed'],
    ['over http, as baseUrl is', { host: SITE, baseUrl: `http://${SITE}`, origin: `http://${SITE}` }, 'allowed'],
    ['that the browser calls ours', { origin: `http://${HERE}`, site: 'same-origin' }, 'allowed'],
    ['that the browser calls a neighbour', { origin: `http://${HERE}`, site: 'same-site' }, 'forbidden'],
    ['that the browser calls a stranger', { origin: `http://${HERE}`, site: 'cross-site' }, 'forbidden'],
  ]
  for (const [name, request, expected] of pages) {
    it(`from a page ${name} is ${expected}`, () => {
      expect(said(() => checkOrigin(...asked(request), { isRequired: true })) ?? 'allowed').to.equal(expected)
    })
  }

  it('needs an origin only where there is a session to abuse, and never comes from another site', () => {
    expect(said(() => checkOrigin(...asked({}), { isRequired: false }))).to.equal(undefined)
    expect(said(() => checkOrigin(...asked({ site: 'cross-site' }), { isRequired: false }))).to.equal('forbidden')
    const evil = asked({ origin: 'https://evil.example' })
    expect(said(() => checkOrigin(...evil, { isRequired: false }))).to.equal('forbidden')
  })

  it('is refused with the remedy, and with 200 characters of the address at most', () => {
    const text = (request: Request) => {
      try {
        checkOrigin(...asked(request), { isRequired: true })
        return ''
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(text({})).to.include('need the header Origin')
    const origin = `https://${'e'.repeat(300)}`
    expect(text({ origin })).to.include(`(${origin.slice(0, 200)}): open the console at the address of the server`)
    expect(text({ origin, baseUrl: `https://${SITE}` })).to.include(`open the console at https://${SITE}`)
  })
})

describe('the cookie of a session', () => {
  const BOTH = '__Host-appsvc=secure; appsvc=local'
  const read: [string, Request, string | undefined][] = [
    ['on this machine over http', { cookie: BOTH }, 'local'],
    ['by its number', { host: '127.0.0.1:8080', cookie: BOTH }, 'local'],
    ['by its number of IPv6', { host: '[::1]:8080', cookie: BOTH }, 'local'],
    ['by a name that begins like it', { host: 'localhost.evil.example', cookie: BOTH }, 'secure'],
    ['of a network', { host: SITE, cookie: BOTH }, 'secure'],
    ['of a host that is none', { host: 'a b', cookie: BOTH }, 'secure'],
    ['on this machine with TLS', { isEncrypted: true, cookie: BOTH }, 'secure'],
    ['on this machine from a page of https', { origin: `https://${HERE}`, cookie: BOTH }, 'secure'],
    ['on this machine, which baseUrl calls https', { baseUrl: `https://${HERE}`, cookie: BOTH }, 'secure'],
    ['on this machine, which baseUrl calls http', { baseUrl: `http://${HERE}`, cookie: BOTH }, 'local'],
    ['on this machine, where baseUrl is another', { baseUrl: `https://${SITE}`, cookie: BOTH }, 'local'],
    ['on https, where only the other is there', { host: SITE, cookie: 'appsvc=local' }, undefined],
    ['that is empty', { cookie: 'appsvc=' }, undefined],
    ['that is not there', {}, undefined],
    ['between others', { cookie: 'a=b;  appsvc = as_1 ; xappsvc=2' }, 'as_1'],
    ['with a sign in it', { cookie: 'appsvc=as_1=2' }, 'as_1=2'],
  ]
  for (const [name, request, expected] of read) {
    it(`${name} is read as ${String(expected)}`, () => {
      expect(sessionCookieOf(...asked(request))).to.equal(expected)
    })
  }

  const LOCAL = 'appsvc=as_1; Path=/; HttpOnly; SameSite=Strict'
  const SECURE = '__Host-appsvc=as_1; Path=/; HttpOnly; SameSite=Strict; Secure'
  const made: [string, Request, string][] = [
    ['from a page of https', { origin: `https://${SITE}` }, SECURE],
    ['from a page of this machine', { origin: `http://${HERE}`, isEncrypted: true }, LOCAL],
    ['from a page over http in a network', { origin: `http://${SITE}` }, 'forbidden'],
    ['without a page, with TLS', { host: SITE, isEncrypted: true }, SECURE],
    ['without a page, on this machine', {}, LOCAL],
    ['without a page, in a network', { host: SITE }, 'forbidden'],
    ['without a page, where baseUrl is https', { host: SITE, baseUrl: `https://${SITE}` }, SECURE],
    ['without a page, where baseUrl is another', { baseUrl: `https://${SITE}` }, LOCAL],
  ]
  for (const [name, request, expected] of made) {
    it(`is made ${name}${expected === 'forbidden' ? ' by nobody' : ''}`, () => {
      expect(said(() => cookieOf(...asked(request), 'as_1'))).to.equal(expected)
    })
  }

  it('is forgotten under both names', () => {
    expect(noCookies()).to.deep.equal([
      '__Host-appsvc=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure',
      'appsvc=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
    ])
  })
})
