import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, matchesGlob, normalize } from 'node:path'
import { expect } from 'chai'
import { patchNames, patchOf } from './support/recipes/copy.ts'
import { isNew } from './support/recipes/patch.ts'

const ROOT = join(import.meta.dirname, '..')
const PATTERNS = [
  '{bin,src,test,bench,packaging,migrations}/**/*.{ts,js}',
  '{docs,src}/**/*.md',
  '{README,CONTRIBUTING,CHANGELOG}.md',
  'config/*.yaml',
  'Dockerfile',
]
/** This file holds broken citations on purpose. */
const ITSELF = 'test/citations.test.ts'

/** Path below the root, with slashes -> text. */
type Pages = ReadonlyMap<string, string>

/** A citation that leads nowhere, as `path: what is wrong`. */
type Problem = string

/** Folders of this repository with which a cited path begins. */
const FOLDERS = 'bin|src|test|bench|packaging|migrations|docs|config'
/** Words that stood for a page while it had no path. */
const FORMER_NAMES = /\b(?:device-protocol|gateway-facts)\b(?!\.ts)|\breliability(?:\.md| section)/g
const SECTIONS = /\bsections? (\d+(?:\.\d+)*(?:(?:, | and | to )\d+(?:\.\d+)*)*)/g
/** Trees of client SDKs, which pages and tests name. */
const OF_SDKS = /^src\/(?:core\b|android\b|consts\.js)/
/** Files that a recipe makes. */
const INVENTED = /<|\/acme\b|NN_/
const NUMBERED_HEADING = /^#{2,} (\d+(?:\.\d+)*)\.? /gm

/** `exists` tells whether a path below the root, or anything that a pattern with `*` matches, is there. */
function problems(pages: Pages, exists: (path: string) => boolean): Problem[] {
  return [...pages].flatMap(([path, text]) => {
    const found = path.endsWith('.md') ? ofMarkdown(path, text, pages, exists) : ofSource(text, pages, exists)
    return found.map((what) => `${path}: ${what}`)
  })
}

function ofSource(text: string, pages: Pages, exists: (path: string) => boolean): Problem[] {
  // A citation may be broken over two lines of a comment.
  const flat = text.replace(/\n\s*(?:\*(?!\/)|\/\/|#)?\s*/g, ' ')
  const comments = (text.match(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm) ?? []).join('\n')
  return [
    ...pathsIn(flat, /(?<![\w./-])docs\/[\w./*-]*\w/g)
      .filter((cited) => !exists(cited))
      .map(nowhere),
    ...missingFiles(comments, exists),
    ...former(flat.replace(/docs\/reference\/[\w-]+\.md/g, (cited) => '-'.repeat(cited.length))),
    ...sectionProblems(flat, pages, undefined),
  ]
}

function ofMarkdown(path: string, text: string, pages: Pages, exists: (path: string) => boolean): Problem[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '').replace(/^ {4}.*$/gm, '')
  const links = [...prose.matchAll(/\[([^\]]*)\]\(([^)\s]+)\)/g)].map(([, words, target]) => ({
    words: words!,
    target: target!,
  }))
  const withoutLinks = prose.replace(/\[[^\]]*\]\([^)\s]+\)/g, '').replace(/\s+/g, ' ')
  const blocks = (text.match(/^ {4}.*$/gm) ?? []).join('\n')
  const inCode = (prose.match(/`[^`\n]+`/g) ?? []).map((code) => code.slice(1, -1))
  const cited = inCode.filter((code) => new RegExp(`^(?:${FOLDERS})/[\\w./*-]+$`).test(code))
  return [
    ...links.flatMap((link) => linkProblems(path, link, pages, exists)),
    ...pathsIn(blocks, /(?<=^(?: {4}|    \+ ))(?:src|test|migrations|docs|packaging)\/[\w./<>-]*\w/gm)
      .filter((one) => !INVENTED.test(one) && !OF_SDKS.test(one) && !exists(one))
      .map(nowhere),
    ...cited.filter((one) => !OF_SDKS.test(one) && !exists(one)).map(nowhere),
    ...missingFiles(inCode.filter((code) => /^[\w./*-]+$/.test(code)).join('\n'), exists),
    ...former(withoutLinks.replace(/docs\/reference\/[\w-]+\.md/g, '')),
    ...sectionProblems(withoutLinks, pages, path),
  ]
}

function linkProblems(
  path: string,
  { words, target }: { words: string; target: string },
  pages: Pages,
  exists: (path: string) => boolean,
): Problem[] {
  if (/^[a-z]+:/i.test(target)) return []
  const [file = '', anchor] = target.split('#')
  const to = file === '' ? path : normalize(join(dirname(path), file)).replace(/\/$/, '')
  if (!exists(to)) return [nowhere(target)]
  const page = pages.get(to)
  if (anchor !== undefined && page !== undefined && !anchorsOf(page).has(anchor))
    return [`${target} has no such heading`]
  return page === undefined ? [] : missingSections(words, to, page)
}

/** Names of files with their endings that no file of the repository has, whatever folders stand before them. */
function missingFiles(text: string, exists: (path: string) => boolean): Problem[] {
  return pathsIn(text, /(?<![\w./*<>{}-])(?:[\w*-][\w.*-]*\/)*[\w*-][\w.*-]*\.(?:ts|md)\b(?![\w/-])/g)
    .filter((cited) => !OF_SDKS.test(cited) && !exists(cited) && !exists(`**/${cited}`))
    .map(nowhere)
}

function former(text: string): Problem[] {
  const bare = text.match(FORMER_NAMES) ?? []
  const numbered = text.match(/\b[Dd]ecisions? \d+/g) ?? []
  const contract = text.match(/\bservice\.md\b|\bcontract,? (?:section|§) ?\d/g) ?? []
  return [
    ...bare.map((name) => `"${name}" is cited without the path of a page`),
    ...numbered.map((name) => `"${name}" is cited without the path of a page`),
    ...contract.map((name) => `"${name}": the contract is not in the repository, so say what it says`),
  ]
}

/** `own`: the page itself, which a section without a page is one of; a source has none. */
function sectionProblems(text: string, pages: Pages, own: string | undefined): Problem[] {
  return [...text.matchAll(SECTIONS)].flatMap((match) => {
    const before = text.slice(0, match.index)
    if (/(?:RFC \d+|XML 1\.0|https:\/\/\S+),?\s*$/.test(before)) return []
    const cited = /((?:[\w-]+\/)*[\w-]+\.md)`?,?\s*$/.exec(before)?.[1] ?? own
    if (cited === undefined) return [`"${match[0]}" of which page?`]
    const page = pages.get(cited)
    return page === undefined ? [nowhere(cited)] : missingSections(match[0], cited, page)
  })
}

function missingSections(words: string, path: string, page: string): Problem[] {
  const known = new Set([...page.matchAll(NUMBERED_HEADING)].map(([, number]) => number!))
  return [...words.matchAll(SECTIONS)]
    .flatMap(([, numbers]) => numbers!.match(/\d+(?:\.\d+)*/g) ?? [])
    .filter((number) => !known.has(number))
    .map((number) => `${path} has no section ${number}`)
}

function pathsIn(text: string, pattern: RegExp): string[] {
  return [...new Set(text.match(pattern) ?? [])]
}

const nowhere = (cited: string) => `${cited} leads nowhere`

/** The anchors that GitHub makes of the headings of a page. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading] of page.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} (.+)$/gm)) {
    const words = heading!.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const slug = words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-')
    let anchor = slug
    for (let i = 1; anchors.has(anchor); i++) anchor = `${slug}-${i}`
    anchors.add(anchor)
  }
  return anchors
}

/** Files that are made where they are needed, and not in the repository. */
const OF_RECIPES = patchNames().flatMap((name) =>
  [...patchOf(name).files].flatMap(([file, places]) => (isNew(places) ? [file] : [])),
)
const MADE = ['src/console/api/schema.ts', '**/api/schema.ts', ...OF_RECIPES]

/** Every file and folder below the root that a citation may mean. */
function lookup(): (path: string) => boolean {
  const known = globSync('{.ci,bin,src,test,bench,packaging,migrations,docs,config}/**/*', { cwd: ROOT })
  const top = globSync('*.{md,json}', { cwd: ROOT })
  const names = new Set([...known, ...top].map((path) => basename(path)))
  const seen = new Map<string, boolean>(MADE.map((path) => [path, true]))
  return (path) => {
    const before = seen.get(path)
    if (before !== undefined) return before
    const found = !path.includes('*')
      ? existsSync(join(ROOT, path))
      : path.startsWith('**/') && !path.includes('*', 3) && !names.has(basename(path))
        ? false
        : [...known, ...top].some((one) => matchesGlob(one, path))
    seen.set(path, found)
    return found
  }
}

describe('citations', () => {
  it('of sources and pages lead somewhere', () => {
    const paths = PATTERNS.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).filter((path) => path !== ITSELF)
    const pages = new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]))
    expect(pages.size).to.be.above(500)
    expect(problems(pages, lookup())).to.deep.equal([])
  })

  const page = ['# Page', '', '## 1. First part', '', '### 1.2 Detail', '', 'text', '', '## Second `part`', ''].join(
    '\n',
  )
  const there = new Map([['docs/page.md', page]])
  const files = new Set(['docs/page.md', 'docs', 'src/one/two.ts'])
  const exists = (path: string) =>
    path.includes('*') ? [...files].some((file) => matchesGlob(file, path)) : files.has(path)
  const planted = (path: string, text: string) => problems(new Map([...there, [path, text]]), exists)

  const BROKEN: readonly (readonly [path: string, text: string, what: string])[] = [
    ['docs/a.md', 'See [this](gone.md).', 'gone.md leads nowhere'],
    ['docs/a.md', 'See [this](page.md#third-part).', 'page.md#third-part has no such heading'],
    ['docs/a.md', 'See [page section 3](page.md).', 'docs/page.md has no section 3'],
    ['docs/a.md', 'It is in `src/one/gone.ts`.', 'src/one/gone.ts leads nowhere'],
    ['docs/a.md', 'Change:\n\n    src/one/gone.ts   this', 'src/one/gone.ts leads nowhere'],
    ['docs/a.md', 'As decision 9 says.', '"decision 9" is cited without the path of a page'],
    ['docs/a.md', 'As gateway-facts say.', '"gateway-facts" is cited without the path of a page'],
    ['docs/a.md', '## 1. One\n\nAs section 2 says.', 'docs/a.md has no section 2'],
    ['src/a.ts', '// See docs/gone.md.', 'docs/gone.md leads nowhere'],
    ['src/a.ts', '// See docs/decisions/0012.', 'docs/decisions/0012 leads nowhere'],
    ['src/a.ts', '/** See three.ts. */', 'three.ts leads nowhere'],
    ['src/a.ts', '// docs/page.md section 1.3', 'docs/page.md has no section 1.3'],
    ['src/a.ts', '/**\n * docs/page.md sections 1\n * and 4\n */', 'docs/page.md has no section 4'],
    ['src/a.ts', '// See section 5.', '"section 5" of which page?'],
    ['src/a.ts', '// (decisions 4)', '"decisions 4" is cited without the path of a page'],
    ['src/a.ts', '// device-protocol section 1', '"device-protocol" is cited without the path of a page'],
    ['src/a.ts', '// reliability.md', '"reliability.md" is cited without the path of a page'],
    [
      'src/a.ts',
      '// The contract, section 3',
      '"contract, section 3": the contract is not in the repository, so say what it says',
    ],
  ]
  for (const [path, text, what] of BROKEN) {
    it(`${JSON.stringify(text)} is found`, () => {
      expect(planted(path, text)).to.include(`${path}: ${what}`)
    })
  }

  it('that lead somewhere are left alone', () => {
    expect(
      planted('docs/a.md', '[a](page.md#12-detail) [b](page.md#second-part) [section 1.2](page.md) `src/*/two.ts`'),
    ).to.deep.equal([])
    expect(
      planted('src/a.ts', '// docs/page.md section 1.2, two.ts and one/two.ts; RFC 8292 section 2.'),
    ).to.deep.equal([])
  })
})

describe('decision pages', () => {
  const folder = join(ROOT, 'docs/decisions')
  const index = readFileSync(join(folder, 'README.md'), 'utf8')
  for (const name of globSync('0*.md', { cwd: folder }).sort()) {
    it(`${name} has the form of the others and stands in the index`, () => {
      const page = readFileSync(join(folder, name), 'utf8')
      const date = /^Date: (\d{4}-\d\d-\d\d)$/m.exec(page)?.[1]
      expect(page).to.match(new RegExp(`^# ${name.slice(0, 4)} `))
      expect(page.match(/^## (?:Context|Decision|Consequences)$/gm)).to.have.lengthOf(3)
      expect(index).to.include(`| [${name.slice(0, 4)}](${name}) | `)
      expect(index.split('\n').find((line) => line.includes(`](${name})`))).to.include(`| ${date} |`)
    })
  }

  it('stand in the index in order, each number once, with those that were never used', () => {
    const numbers = [...index.matchAll(/^\| \[(\d{4})\]/gm)].map(([, number]) => Number(number))
    expect(numbers).to.deep.equal([...new Set(numbers)].sort((a, b) => a - b))
    const unused = Array.from({ length: Math.max(...numbers) }, (_, i) => i + 1).filter((one) => !numbers.includes(one))
    for (const one of unused) expect(index).to.match(new RegExp(`\\b${String(one).padStart(4, '0')}\\b`))
  })
})
