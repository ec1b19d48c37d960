import { expect } from 'chai'
import { loadConfig } from '../../../src/config.ts'
import { wantedNames } from '../../../src/domain/certificates/names.ts'

describe('names that get certificates', () => {
  const of = async (settings: Record<string, string>, hosts: readonly string[]) =>
    wantedNames((await loadConfig({ environment: {}, flags: settings })).config, hosts)

  it('are that of the server, then hosts of links, each once and without a port, but not the domain of links', async () => {
    const settings = { baseUrl: 'https://push.example.com', 'links.domain': 'links.example.com' }
    const hosts = ['b.links.example.com:8443', 'A.links.example.com', 'push.example.com', 'localhost']
    expect(await of(settings, hosts)).to.deep.equal(['push.example.com', 'b.links.example.com', 'a.links.example.com'])
  })

  it('are as many as the settings say', async () => {
    const settings = { baseUrl: 'https://push.example.com', 'acme.maxNames': '2' }
    expect(await of(settings, ['a.example.com', 'b.example.com'])).to.deep.equal(['push.example.com', 'a.example.com'])
  })
})
