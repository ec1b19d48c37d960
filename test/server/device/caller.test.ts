import { expect } from 'chai'
import { isOwnMachine, prefixOf } from '../../../src/server/device/caller.ts'

describe('whom an address belongs to', () => {
  it('is itself for IPv4, and for IPv6 the network', () => {
    expect(prefixOf('192.0.2.1')).to.equal('192.0.2.1')
    expect(prefixOf('2001:db8:1:2:3:4:5:6')).to.equal(prefixOf('2001:db8:1:2:ffff::1'))
    expect(prefixOf('2001:db8:1:3::1')).to.not.equal(prefixOf('2001:db8:1:2:ffff::1'))
    expect(prefixOf('2001:db8::1')).to.equal(prefixOf('2001:db8::2'))
    expect(prefixOf('::1')).to.equal('0:0:0:0/64')
  })

  it('is this machine for loopback only', () => {
    for (const own of ['127.0.0.1', '127.1.2.3', '::1']) expect(isOwnMachine(own), own).to.equal(true)
    for (const other of ['', '126.0.0.1', '10.0.0.1', '::2', '2001:db8::1']) {
      expect(isOwnMachine(other), other).to.equal(false)
    }
  })
})
