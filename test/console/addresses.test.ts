import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { consoleRoutes } from './support/routes.ts'

const CONSOLE = join(import.meta.dirname, '../../src/console')
/** Sources whose addresses lead nobody anywhere: the table, the interface, the router, and the sign-in at any address. */
const OTHERS = ['routes.ts', 'api/schema.ts', 'shell/router.ts', 'shell/shell.tsx']
/** Addresses of the server that are no pages. */
const SERVER = /^\/(?:admin\/v1|console|docs|v1|links)(?:\/|$)/
/** A text that begins with a slash and a letter; only its path. Whoever begins with the `base` of the file gets that in front. */
const ADDRESS = /(['"`])(\/|\/[a-z*$][^'"`?#\s]*|\$\{(\w+)\}\/[^'"`?#\s]*)(?=['"`?#])/g

interface Address {
  file: string
  /** Each value in it is an asterisk. */
  address: string
}

/** Finds what a source names as an address of the console, wherever it stands: in `href(…)`, `navigate(…)`, a `path`, a list. */
function addressesIn(file: string, source: string): Address[] {
  const text = source.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '')
  return [...text.matchAll(ADDRESS)].flatMap(([, , found, base]) => {
    let address = found!
    if (base !== undefined) {
      const start = new RegExp(`\\bconst ${base} = \`(/[^\`]*)\``).exec(text)?.[1]
      if (start === undefined) return []
      address = address.replace(`\${${base}}`, start)
    }
    address = address.replace(/\$\{[^}]*\}/g, '*')
    return SERVER.test(address) ? [] : [{ file, address }]
  })
}

const known = consoleRoutes().map((pattern) => pattern.split('/'))

/** Tells whether a page has this address: a value stands only where the pattern has a parameter, or is one of its words. */
function fits({ address }: Address): boolean {
  const parts = address.split('/')
  return known.some(
    (pattern) =>
      pattern.length === parts.length &&
      pattern.every((part, i) => (part.startsWith(':') ? parts[i] !== '' : parts[i] === part || parts[i] === '*')),
  )
}

describe('the addresses in the console', () => {
  it('lead to pages that there are', () => {
    const all = globSync('**/*.{ts,tsx}', { cwd: CONSOLE })
      .filter((file) => !OTHERS.includes(file))
      .flatMap((file) => addressesIn(file, readFileSync(join(CONSOLE, file), 'utf8')))
    expect(all.length).to.be.greaterThan(100)
    expect(all.filter((one) => !fits(one))).to.deep.equal([])
  })

  it('are found where they are wrong, however a source names them', () => {
    const wrong = [
      'href(`/apps/@{appId}/notifications/@{id}`)',
      "navigate('/helth')",
      "{ pages: ['/apps/:appId/nowhere'] }",
      'const base = `/apps/@{appId}/tables/@{alias}`; href(`@{base}/imports`)',
    ].map((source) => source.replaceAll('@', '$'))
    for (const source of wrong) {
      expect(
        addressesIn('planted.tsx', source).filter((one) => !fits(one)),
        source,
      ).to.have.length(1)
    }
  })
})
