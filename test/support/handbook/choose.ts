import { basename } from 'node:path'
import type { Step } from './page.ts'
import { STAYS } from './stays.ts'

/** A page that the handbook's test could play. */
export interface Page {
  path: string
  steps: readonly Step[]
}

/** Pages besides those without a server: the first steps of a reader, and a push on its way. */
const EVERYDAY = new Set(['docs/install.md', 'docs/sending.md'])

/** Sources that play pages: a change of them plays all pages. */
const PLAYS = /^test\/(handbook\.test\.ts$|support\/handbook\/)/

/** Words of pages for the parts of the sources that have another name. */
const CALLED: Readonly<Record<string, readonly string[]>> = {
  audience: ['notify', 'segments'],
  backups: ['backup', 'restore'],
  consent: ['purposes', 'suppressions'],
  crm: ['users', 'installs', 'app-installs'],
  erasures: ['users'],
  statistics: ['status'],
  followers: ['event-streams'],
  imports: ['import'],
  links: ['deep-links'],
  'db-copy': ['db'],
  nats: ['event-streams'],
  notifications: ['notify'],
  profiles: ['users'],
  sandbox: ['push'],
  rotation: ['keys'],
}

const commandsOf = ({ steps }: Page) => steps.flatMap((step) => ('commands' in step ? [step.commands] : []))

/** Words of a page: its name, the topics of its commands and the nouns of the routes that it calls. */
function wordsOf(page: Page): Set<string> {
  const text = commandsOf(page).join('\n')
  const topics = [...text.matchAll(/\bappsvc ([a-z-]+)/g)].map(([, topic]) => topic!)
  const nouns = [...text.matchAll(/\/v1(\/[\w/-]+)/g)].flatMap(([, path]) => path!.split('/'))
  return new Set([basename(page.path, '.md'), ...topics, ...nouns])
}

/** Words of a source: its folders and its name. */
function wordsOfSource(path: string): string[] {
  const own = path.replace(/\.tsx?$/, '').split('/')
  return own.flatMap((word) => [word, ...(CALLED[word] ?? [])])
}

/**
 * The pages that `npm test` plays when these files differ: pages that differ themselves, that use the parts that the sources
 * are of, and always those that cost little. A start of the server with its threads costs as much as a whole page without.
 */
export function choosePages<P extends Page>(pages: readonly P[], changed: readonly string[]): P[] {
  if (changed.some((path) => PLAYS.test(path))) return [...pages]
  const differing = new Set(changed)
  const words = new Set(changed.filter((path) => path.startsWith('src/')).flatMap(wordsOfSource))
  return pages.filter(
    (page) =>
      differing.has(page.path) ||
      EVERYDAY.has(page.path) ||
      !commandsOf(page).some((commands) => STAYS.test(commands)) ||
      [...wordsOf(page)].some((word) => words.has(word)),
  )
}
