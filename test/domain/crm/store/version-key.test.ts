import { expect } from 'chai'
import { versionKey } from '../../../../src/domain/crm/store/version-key.ts'

/** Ascending; those of one row are the same version. */
const ORDER = [
  ['0', '0.0', 'v0.0.0'],
  ['0.0.1'],
  ['0.9'],
  ['1.0-0.3.7'],
  ['1.0.0-alpha', '1.0-ALPHA', '1.0alpha'],
  ['1.0.0-alpha.1', '1.0.0-alpha1'],
  ['1.0.0-alpha.beta'],
  ['1.0.0-beta'],
  ['1.0.0-beta.2', '1.0-beta2'],
  ['1.0.0-beta.11'],
  ['1.0.0-rc.1'],
  ['1', '1.0', '1.0.0', '01.00', ' V1.0', '1.0+build.7', '1.0.0 (4711)', '1.0(3)'],
  ['1.0.0.1'],
  ['1.0.1-beta'],
  ['1.0.1'],
  ['1.2'],
  ['1.9', '1.9.0'],
  ['1.9.9'],
  ['1.10-rc1', '1.10_rc1'],
  ['1.10'],
  ['1.10.2'],
  ['2.0.0-rc.1'],
  ['2'],
  ['9.99.999'],
  ['10'],
  ['2026.3.1'],
  ['2026.11.21', '2026.11.021'],
  ['99999999999999999998'],
  ['99999999999999999999'],
]

describe('the key of an app version', () => {
  it('sorts byte by byte as versions do, and is the same for the same version', () => {
    const keys = ORDER.map((versions) => {
      const all = new Set(versions.map(versionKey))
      expect(all.size, versions.join()).to.equal(1)
      return [...all][0]!
    })
    for (const key of keys) expect(key).to.match(/^[\x21-\x7e]+$/)
    for (let i = 1; i < keys.length; i++) {
      expect(
        Buffer.compare(Buffer.from(keys[i - 1]!), Buffer.from(keys[i]!)),
        `${ORDER[i - 1]} < ${ORDER[i]}`,
      ).to.equal(-1)
    }
  })

  it('is null for what does not begin with a number', () => {
    for (const version of [null, '', 'nightly', 'v', '-1', '.5', 'build 7', '9'.repeat(36)]) {
      expect(versionKey(version), String(version)).to.equal(null)
    }
  })
})
