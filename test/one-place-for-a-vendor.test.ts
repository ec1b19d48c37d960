import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { gateways, platforms, vendorAddresses } from '../src/domain/gateways/registry.ts'
import { standInNames } from '../src/sandbox/stand-ins.ts'

const ROOT = join(import.meta.dirname, '..')

/**
 * Sources that may name Huawei: its folder, its stand-in, and the four lists with one entry for each vendor, one of them of the console. The
 * types of the console are made of the interface, and the demo's history has what goes wrong at each. Encoded lines of the map may hold any
 * letters.
 */
const OWN =
  /^src\/(?:console\/(?:parts\/platforms|api\/schema|pages\/geofences\/map\/natural-earth\/\w+)\.ts$|cli\/demo\/history\/|domain\/gateways\/(?:huawei\/|(?:registry|blocks)\.ts$)|sandbox\/(?:huawei\/|stand-ins\.ts$))/

describe('a vendor is named in one place', () => {
  it('no other source names Huawei', () => {
    const named = globSync('{bin,src}/**/*.{ts,tsx,js,html,css}', { cwd: ROOT })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => !OWN.test(path) && /hcm|huawei/i.test(readFileSync(join(ROOT, path), 'utf8')))
    expect(named).to.deep.equal([])
  })

  it('no two gateways share a type, and each is registered under its platform', () => {
    expect(Object.values(gateways).map(({ platform }) => platform)).to.deep.equal(platforms)
    expect(new Set(Object.values(gateways).map(({ type }) => type)).size).to.equal(platforms.length)
  })

  it('a stand-in that runs from its declaration belongs to a gateway with the settings it answers for', () => {
    for (const name of standInNames) {
      expect(platforms).to.include(name)
      expect(Object.keys(vendorAddresses)).to.include.members([`${name}Url`, `${name}TokenUrl`])
    }
  })

  it('every gateway has a page in docs/gateways that README.md lists with its platform and type', () => {
    const index = readFileSync(join(ROOT, 'docs/gateways/README.md'), 'utf8')
    for (const { platform, type } of Object.values(gateways)) {
      expect(index).to.match(new RegExp(`^\\| \`${platform}\` \\| ${type} \\|.*\\]\\([a-z]+\\.md\\) \\|$`, 'm'))
    }
  })
})
