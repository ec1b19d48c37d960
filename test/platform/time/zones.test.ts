import { expect } from 'chai'
import { IANAZone } from 'luxon'
import { ZONE_LINKS } from '../../../src/platform/time/zone-links.ts'
import { isZone, namesOfZone, spelledZone, zoneOffset } from '../../../src/platform/time/zones.ts'

describe('time zones', () => {
  const lines = ZONE_LINKS.trim()
    .split('\n')
    .map((line) => line.split(' '))

  it('are known by every name of the table, and the names of one place show the same time', () => {
    for (const names of lines) {
      expect(names.filter((name) => !isZone(name))).to.deep.equal([])
      for (const at of [Date.parse('2026-01-15T12:00:00Z'), Date.parse('2026-07-15T12:00:00Z')]) {
        expect(new Set(names.map((name) => zoneOffset(name, at))).size, names.join(' ')).to.equal(1)
      }
    }
  })

  it('are kept in one spelling, and what is no zone is not kept at all', () => {
    const made: string[] = []
    const create = IANAZone.create.bind(IANAZone)
    IANAZone.create = (name) => (made.push(name), create(name))
    try {
      const names = ['Europe/Vaduz', 'europe/vaduz', 'EUROPE/VADUZ', 'Etc/GMT+5', 'etc/gmt+5', 'ETC/GMT+5']
      // No other test asks for this day, whose answer the process would have.
      const at = Date.parse('2071-07-14T12:00:00Z')
      expect(names.map(isZone)).to.deep.equal(names.map(() => true))
      expect(names.map((name) => zoneOffset(name, at) / 3_600_000)).to.deep.equal([2, 2, 2, -5, -5, -5])
      expect(names.map(spelledZone)).to.deep.equal(names.map((_, i) => names[i < 3 ? 0 : 3]))
      for (const name of ['Mars/Olympus', `Europe/${'a'.repeat(1e6)}`, '+02:00', ''])
        expect(isZone(name)).to.equal(false)
      expect([...new Set(made)]).to.deep.equal(['Europe/Vaduz', 'Etc/GMT+5'])
    } finally {
      IANAZone.create = create
    }
  })

  it('have each name in one line only', () => {
    const all = lines.flat()
    expect(new Set(all).size).to.equal(all.length)
    expect(lines.filter((names) => names.length < 2)).to.deep.equal([])
  })

  it('have all their names found from any of them, in upper and lower case', () => {
    const india = ['Asia/Calcutta', 'Asia/Kolkata']
    for (const name of [...india, 'asia/kolkata']) expect(namesOfZone(name)).to.have.members(india)
    expect(namesOfZone('europe/berlin')).to.deep.equal(['Europe/Berlin'])
    expect(namesOfZone('Etc/GMT+5')).to.deep.equal(['Etc/GMT+5'])
    expect(namesOfZone('UTC')).to.include.members(['UTC', 'Etc/UTC', 'Zulu'])
  })

  it('of countries that only share their clocks stay apart', () => {
    expect(namesOfZone('Europe/Oslo')).not.to.include('Europe/Berlin')
  })
})
