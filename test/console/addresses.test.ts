import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { consoleRoutes } from './support/routes.ts'

const PAGES = join(import.meta.dirname, '../../src/console')

// Addresses of the console that its pages lead to; each value in them is an asterisk.
function addresses(): { file: string; address: string }[] {
  return globSync('**/*.tsx', { cwd: PAGES }).flatMap((file) => {
    const text = readFileSync(join(PAGES, file), 'utf8')
    return [...text.matchAll(/\b(?:href|navigate)\(`(\/[^`?]*)/g)].map(([, found]) => {
      return { file, address: found!.replace(/\$\{[^}]*\}/g, '*') }
    })
  })
}

describe('the addresses in the console', () => {
  it('lead to pages that there are', () => {
    const all = addresses()
    expect(all.length).to.be.greaterThan(50)
    const known = consoleRoutes().map((pattern) => pattern.split('/'))
    const fits = (address: string) =>
      known.some((pattern) => {
        const parts = address.split('/')
        return (
          pattern.length === parts.length &&
          pattern.every((part, i) => (part.startsWith(':') ? parts[i] !== '' : parts[i] === part || parts[i] === '*'))
        )
      })
    expect(all.filter(({ address }) => !fits(address))).to.deep.equal([])
  })
})
