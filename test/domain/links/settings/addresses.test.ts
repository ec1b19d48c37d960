import { expect } from 'chai'
import { loadConfig } from '../../../../src/config.ts'
import { type AddressSettings, linkUrl, readHost } from '../../../../src/domain/links/settings/addresses.ts'

const NOTHING: AddressSettings = { domain: '', baseUrl: '', port: 8080, linksHost: '' }

describe('the address of a link', () => {
  const rows: [string, string | null, Partial<AddressSettings>, string][] = [
    ['on a laptop is below localhost', null, {}, 'http://abc.localhost:8080/s/l'],
    ['has the port of a local base URL', null, { baseUrl: 'http://127.0.0.1:9000' }, 'http://abc.localhost:9000/s/l'],
    ['is below the configured domain', null, { domain: 'lnk.example.com' }, 'https://abc.lnk.example.com/s/l'],
    [
      'is https whatever the interfaces are',
      null,
      { domain: 'lnk.example.com', baseUrl: 'http://10.0.0.1:8080' },
      'https://abc.lnk.example.com/s/l',
    ],
    ['is on the own host of the app', 'go.example.com', { domain: 'lnk.example.com' }, 'https://go.example.com/s/l'],
    [
      'is a path behind a public base URL without a domain',
      null,
      { baseUrl: 'https://api.example.com' },
      'https://api.example.com/links/l/abc/s/l',
    ],
    [
      'is a path on the host of the area when it has one',
      null,
      { baseUrl: 'https://api.example.com', linksHost: 'links.example.com' },
      'https://links.example.com/l/abc/s/l',
    ],
    [
      'has the port of a base URL that is not at the usual one',
      null,
      { baseUrl: 'https://api.example.com:8443', linksHost: 'links.example.com' },
      'https://links.example.com:8443/l/abc/s/l',
    ],
    [
      'keeps the port that the host of the area has itself',
      null,
      { baseUrl: 'https://api.example.com:8443', linksHost: 'links.example.com:9443' },
      'https://links.example.com:9443/l/abc/s/l',
    ],
    [
      'has no TLS and its own port when the domain is this machine',
      null,
      { domain: 'lnk.localhost:9001' },
      'http://abc.lnk.localhost:9001/s/l',
    ],
  ]
  for (const [what, domain, at, url] of rows) {
    it(what, () => expect(linkUrl({ domain, subdomain: 'abc' }, 's/l', { ...NOTHING, ...at })).to.equal(url))
  }
})

describe('the setting links.domain', () => {
  const load = (domain: string) => loadConfig({ environment: { APPSVC_LINKS_DOMAIN: domain } })

  it('is a domain, in lower case', async () => {
    for (const domain of ['', 'lnk.example.com', 'lnk.localhost:9001', 'localhost']) {
      expect((await load(domain)).config['links.domain']).to.equal(domain)
    }
    expect((await load('LNK.Example.com')).config['links.domain']).to.equal('lnk.example.com')
  })

  for (const domain of ['https://lnk.example.com', 'lnk.example.com/', '*.example.com', '.example.com', 'a b']) {
    it(`is not ${domain}`, async () => {
      let message = ''
      await load(domain).catch((error: Error) => (message = error.message))
      expect(message).to.match(/APPSVC_LINKS_DOMAIN must be a domain such as/)
    })
  }
})

describe('a host', () => {
  const rows: [string, string, object | undefined][] = [
    ['abc.localhost:8080', '', { subdomain: 'abc' }],
    ['ABC.localhost', '', { subdomain: 'abc' }],
    ['abc.lnk.example.com', 'lnk.example.com', { subdomain: 'abc' }],
    ['abc.LNK.example.com.', 'LNK.example.com', { subdomain: 'abc' }],
    ['abc.lnk.localhost:1', 'lnk.localhost:9001', { subdomain: 'abc' }],
    ['go.example.com', 'lnk.example.com', { domain: 'go.example.com' }],
    ['Go.Example.com:443', '', { domain: 'go.example.com' }],
    ['lnk.example.com', 'lnk.example.com', { domain: 'lnk.example.com' }],
    ['a.b.lnk.example.com', 'lnk.example.com', undefined],
    ['abc.localhost', 'lnk.example.com', { domain: 'abc.localhost' }],
    ['localhost:8080', '', undefined],
    ['', '', undefined],
    ['[::1]:8080', '', undefined],
    ["x'.example.com", '', undefined],
    ['x\0.example.com', '', undefined],
  ]
  for (const [host, domain, key] of rows) {
    it(`${JSON.stringify(host)} ${domain && `below ${domain} `}means ${JSON.stringify(key)}`, () => {
      expect(readHost(host, { domain })).to.deep.equal(key)
    })
  }
})
