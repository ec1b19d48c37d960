import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'puppeteer-core'
import { createCommandRunner } from '../../../src/cli/remote/runner.ts'
import { runCommandLine } from '../../../src/cli/run.ts'
import { STARTERS } from '../../../src/domain/templates/starters/index.ts'
import { offerCommands } from '../../../src/server/admin/command-runner.ts'
import { run } from '../../cli/cli.ts'
import { addPerson } from '../../support/people.ts'
import type { OpenConsole } from './console.ts'

/** Text that a screen shows below "As command" and "As curl". */
export interface Shown {
  screen: string
  text: string
}

type Steps = (console: OpenConsole) => Promise<void>

/** Values that people write on a screen until its form can be sent. */
export const FILLED: Readonly<Record<string, Steps>> = {
  '/new-app': (at) => at.type('Name', "Anna's"),
  '/apps/:appId/tables/new': async (at) => {
    await at.type('Table name', 'loaves')
    await at.type('Name of column 1', 'grams')
  },
  '/apps/:appId/channels/new': async (at) => {
    await at.type('Name', 'Not there yet')
    await at.type('Identifier', 'not-there-yet')
  },
  '/apps/:appId/links/new': (at) => at.type('Page for people without the app', "https://example.com/?a=1&b=it's"),
  '/apps/:appId/banners/new': async (at) => {
    await at.type('Link that it opens', 'spring-sale')
    await at.type('Heading', "It's here")
    await at.type('Text', 'All "offers"')
  },
  '/apps/:appId/banners/prompts/new': async (at) => {
    await at.type('Name', 'first-visit')
    await at.type('Heading', "It's here")
    await at.type('Text', 'All offers')
  },
  '/apps/:appId/push-templates/+new': async (at) => {
    await at.type('Name', "It's ready")
    await at.type('Title', "It's here")
    await at.type('Message', 'Bread "of today" & $HOME')
  },
  '/apps/:appId/push/new': async (at) => {
    await at.page.click('input[type=radio]')
    await at.type('Title', "It's here")
    await at.type('Message', 'Bread "of today" & $HOME')
    await at.type('Name of the device', "Anna's phone")
    await at.type('Install id', 'alice-phone')
  },
}

/** Screens whose form lacks what a test would have to draw, drop or choose from a list of suggestions, and where its texts are run instead. */
export const UNFINISHED: Readonly<Record<string, string>> = {
  '/gallery': 'shows what forms are made of',
  '/apps/:appId/segments/new': 'the page of a segment makes them with the same function',
  '/apps/:appId/geofences/new': 'so does the page of a geofence',
  '/apps/:appId/geofences/import': 'needs a file: test/console/places.test.ts imports one',
  '/apps/:appId/tables/:tableAlias/import': 'needs a file: test/console/tables.test.ts imports one',
  '/apps/:appId/in-app/new': 'needs a template and its values: test/console/in-app.test.ts sends one',
  '/apps/:appId/gateways': 'needs an install of its own',
  '/apps/:appId/gateways/:platform': 'needs credentials, which it never shows',
}

/** Dialogs: where they are, and what to press. Those of one page stand together. */
export const DIALOGS: readonly [name: string, path: string, steps: Steps][] = [
  [
    'save as a push template',
    '/apps/:appId/push/new',
    async (at) => {
      await FILLED['/apps/:appId/push/new']!(at)
      await at.press('Save as a push template')
      await at.type('Name', "It's saved")
    },
  ],
  [
    'invite somebody',
    '/people',
    async (at) => {
      await at.press('Invite somebody')
      await at.type('E-mail address', 'ben@example.com')
      await at.type('Name', "Ben O'Neil")
    },
  ],
  [
    'a new key',
    '/apps/:appId/keys',
    async (at) => {
      await at.press('New key')
      await at.type('Name', 'newsletter')
    },
  ],
  [
    'a new purpose',
    '/apps/:appId/restraint?tab=purposes',
    async (at) => {
      await at.press('New purpose')
      await at.type('Name', "Anna's offers")
      await at.type('Identifier', 'offers-of-anna')
    },
  ],
  [
    'people for the suppression list',
    '/apps/:appId/restraint?tab=suppressions',
    async (at) => {
      await at.press('Add people')
      await at.type('User ids', "o'neil")
    },
  ],
  ['replace a key', '/apps/:appId/keys', (at) => at.press('Replace the server key')],
  [
    'a new webhook',
    '/apps/:appId/webhooks',
    async (at) => {
      await at.press('New webhook')
      await at.type('URL', 'https://hooks.example/more')
    },
  ],
  ['a starter', '/apps/:appId/templates', (at) => at.press('Use Announcement')],
  ['attributes', '/apps/:appId/users/:profileId', (at) => at.press('Edit attributes')],
  ['send a test', '/apps/:appId/users/:profileId', (at) => at.press('Send a test')],
  [
    'export a user',
    '/apps/:appId/users/:profileId',
    async (at) => {
      await at.press('More')
      await at.press('Export everything')
    },
  ],
  [
    'erase a user',
    '/apps/:appId/users/:profileId',
    async (at) => {
      await at.press('More')
      await at.press('Erase this user')
    },
  ],
  // A tab: what is pressed for the others is on the first one.
  ['why not', '/apps/:appId/users/:profileId', (at) => at.press('Why no push?')],
]

const TEXTS = `[...document.querySelectorAll('details.more')]
  .filter((one) => /^As (command|curl)$/.test(one.querySelector('summary').textContent.trim()))
  .map((one) => one.querySelector('pre').textContent)`

export async function shownCommands(page: Page, screen: string): Promise<Shown[]> {
  return ((await page.evaluate(TEXTS)) as string[]).map((text) => ({ screen, text }))
}

/** Files in the folder of a command's reader. */
const FILES: Readonly<Record<string, string>> = {
  'meta.json': '{"color":"red"}',
  'welcome.json': JSON.stringify({ content: STARTERS.welcome.content, tags: STARTERS.welcome.tags }),
}
/** The shell tells the words of each command and call, and what is piped into it. */
const SHELL = `
tell() { printf '%s\\0' "$@"; if [ -p /dev/stdin ]; then cat; fi; }
appsvc() { tell appsvc "$@"; }
curl() { tell curl "$@"; }
`

/** A line as a shell reads it: the program, its words, and what is piped into it. */
interface Line {
  program: string
  words: string[]
  stdin: string
}

/** One shell reads all of the texts: to start it takes longer than to read one. */
async function readLines(dir: string, all: readonly Shown[]): Promise<Line[]> {
  const parts = all.map(({ text }, i) => `(\n${text.replace(/ > \S+$/, '')}\n) > ${i}.words`)
  const shell = spawn('bash', ['-c', `${SHELL}\n${parts.join('\n')}`], {
    cwd: dir,
    env: { PATH: process.env['PATH'], APPSVC_TOKEN: TOKEN },
    stdio: 'ignore',
  })
  await once(shell, 'exit')
  return all.map((_, i) => {
    const [program = '', ...words] = readFileSync(join(dir, `${i}.words`), 'utf8').split('\0')
    return { program, stdin: words.pop() ?? '', words }
  })
}

/** Stands for the token of the person, which is known when the words are used. */
const TOKEN = 'TOKEN'

/** Runs the commands and calls that screens show, as an owner would, and says which are wrong: how, and what they are. */
export async function tryShown({ server }: OpenConsole, all: readonly Shown[]): Promise<string[]> {
  offerCommands(server.program, createCommandRunner(runCommandLine))
  const { token } = await addPerson(server.program)
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-shown-'))
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(dir, name), content)
  const problems: string[] = []
  for (const [i, { program, words, stdin }] of (await readLines(dir, all)).entries()) {
    const { screen, text } = all[i]!
    if (program === 'curl') {
      const { status, answer } = await callOf(words.map((word) => word.replace(TOKEN, token)))
      // What the command beside it did a moment ago is there already, or gone.
      const isGood =
        (status >= 200 && status < 300) ||
        status === 404 ||
        status === 409 ||
        /taken|belongs to somebody already|second_person/.test(answer)
      if (!isGood || /there is nothing at/.test(answer))
        problems.push(`${screen}: ${status} ${answer.slice(0, 300)}\n${text}`)
      continue
    }
    const argv = words.map((word) => (word in FILES || /\.(?:svg|jsonl)$/.test(word) ? join(dir, word) : word))
    // On a terminal it asks.
    const ran = await run([...argv, ...(words.join(' ').startsWith('users delete') ? ['--yes'] : [])], {
      stdin,
      environment: { APPSVC_URL: server.address, APPSVC_TOKEN: token },
    })
    // An earlier screen shows the command that makes a second person necessary.
    const isGood = GOOD.has(ran.code) || /a second person approves/.test(ran.stderr)
    if (program !== 'appsvc' || (!isGood && !(FINDS.test(words.join(' ')) && ran.code !== USAGE)))
      problems.push(`${screen}: ${ran.code} ${ran.stderr}\n${text}`)
  }
  return problems
}

/** Makes the call that curl makes of these words. Throws for an option that the console never shows. */
async function callOf(words: readonly string[]): Promise<{ status: number; answer: string }> {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      request: { type: 'string', short: 'X' },
      header: { type: 'string', short: 'H', multiple: true },
      data: { type: 'string', short: 'd' },
    },
  })
  const { request, header = [], data } = values
  if (data?.startsWith('@')) throw new Error(`curl would read a file: ${data}`)
  const [address, ...more] = positionals
  if (address === undefined || more.length > 0) throw new Error(`curl wants one address: ${positionals.join(' ')}`)
  const answer = await fetch(address, {
    method: request ?? (data === undefined ? 'GET' : 'POST'),
    headers: header.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
    ...(data !== undefined && { body: data }),
  })
  return { status: answer.status, answer: await answer.text() }
}

/** Done; not there any more, or there already, because the call beside it did the same. */
const GOOD = new Set([0, 66, 75])
const USAGE = 64
/** Commands whose exit code is what they found. */
const FINDS = /^(?:doctor|links check)\b/
