import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { judgeZoneFile, readZoneFile, ZONE_FILE } from '../../../src/platform/time/zone-file.ts'
import { builtInZones, putZones } from '../../support/zone-file.ts'

describe('a file with time zone rules', () => {
  let dir: string
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'zones-'))
  })
  after(() => rmSync(dir, { recursive: true, force: true }))

  it('names its release', () => {
    expect(judgeZoneFile(builtInZones())).to.deep.equal({ state: 'usable', release: process.versions.tz })
    putZones(join(dir, 'newer'), '2099z')
    expect(readZoneFile(join(dir, 'newer'))).to.deep.equal({ state: 'usable', release: '2099z' })
  })

  it('is not used when it is cut off, of the other byte order, or something else', () => {
    const whole = builtInZones()
    const why = (bytes: Buffer) => {
      const judged = judgeZoneFile(bytes)
      return judged.state === 'unusable' ? judged.why : judged.state
    }
    expect(why(whole.subarray(0, whole.length - 1))).to.contain('cut off')
    expect(why(whole.subarray(0, 70))).to.contain('cut off')
    const big = Buffer.from(whole)
    big[8] = 1
    expect(why(big)).to.contain('44/le')
    for (const text of ['', 'x', '# version 2026f\n', '<html>'.repeat(50)]) {
      expect(why(Buffer.from(text))).to.contain('no resource bundle')
    }
    const nameless = Buffer.from(whole)
    nameless.fill(0, nameless.indexOf(Buffer.from(process.versions.tz!, 'utf16le')))
    expect(why(nameless)).to.contain('no release')
  })

  it('is absent when its folder is, and unusable when it is a folder itself', () => {
    expect(readZoneFile(join(dir, 'none'))).to.deep.equal({ state: 'absent' })
    writeFileSync(join(dir, 'file'), '')
    expect(readZoneFile(join(dir, 'file'))).to.deep.equal({ state: 'absent' })
    mkdirSync(join(dir, 'odd', ZONE_FILE), { recursive: true })
    expect(readZoneFile(join(dir, 'odd')).state).to.equal('unusable')
  })
})
