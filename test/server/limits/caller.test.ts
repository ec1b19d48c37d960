import { expect } from 'chai'
import { forwarderOf, isOwnMachine, prefixOf } from '../../../src/server/limits/caller.ts'

describe('whom an address belongs to', () => {
  it('is itself for IPv4, and for IPv6 the network', () => {
    expect(prefixOf('192.0.2.1')).to.equal('192.0.2.1')
    expect(prefixOf('2001:db8:1:2:3:4:5:6')).to.equal(prefixOf('2001:db8:1:2:ffff::1'))
    expect(prefixOf('2001:db8:1:3::1')).to.not.equal(prefixOf('2001:db8:1:2:ffff::1'))
    expect(prefixOf('2001:db8::1')).to.equal(prefixOf('2001:db8::2'))
    expect(prefixOf('2001:DB8:01:0002::9')).to.equal(prefixOf('2001:db8:1:2:ffff::1'))
    expect(prefixOf('::1')).to.equal('0:0:0:0/64')
  })

  it('is this machine for loopback only', () => {
    for (const own of ['127.0.0.1', '127.1.2.3', '::1']) expect(isOwnMachine(own), own).to.equal(true)
    for (const other of ['', '126.0.0.1', '10.0.0.1', '::2', '2001:db8::1']) {
      expect(isOwnMachine(other), other).to.equal(false)
    }
  })

  const trusted = new Set(['10.0.0.1', '10.0.0.2'])
  const rows: [header: string, who: string | undefined][] = [
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1, 198.51.100.9', '198.51.100.9'],
    ['192.0.2.1, 10.0.0.2,10.0.0.1', '192.0.2.1'],
    ['192.0.2.1:4711, 10.0.0.2', '192.0.2.1'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['192.0.2.1, , ', '192.0.2.1'],
    ['10.0.0.1, 10.0.0.2', undefined],
    ['', undefined],
    [', ,', undefined],
    ['unknown', undefined],
    ['192.0.2.1, unknown', undefined],
    ['192.0.2.1, _hidden, 10.0.0.2', undefined],
    ['192.0.2.1, localhost', undefined],
    ['192.0.2.1, 300.1.1.1', undefined],
    ['192.0.2.1, 1.2.3', undefined],
    [`192.0.2.1, ${'1'.repeat(9000)}`, undefined],
    [`192.0.2.1${','.repeat(9000)}`, undefined],
  ]
  for (const [header, who] of rows) {
    it(`is ${who ?? 'that of the proxy'} for X-Forwarded-For: ${header.slice(0, 40)}`, () => {
      expect(forwarderOf(header, trusted)).to.equal(who)
    })
  }
})
