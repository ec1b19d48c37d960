import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { SLOT } from '../../src/domain/notifications/record/page.ts'
import { wordsOf } from '../../src/domain/profiles/why-words.ts'
import { entriesOfNavigation } from './support/routes.ts'
import { saidByConsole, textsIn } from './support/said.ts'

const CONSOLE = join(import.meta.dirname, '../../src/console')
const WHY = join(CONSOLE, '../domain/profiles/why-words.ts')
/** Every state in which the trace of a recipient can be. */
const STATES = ['not_a_recipient', 'waiting', ...Object.keys(SLOT)]

/** The word of the console for a thing, and other words for it that a text may not have. */
const INSTEAD: readonly { write: string; not: RegExp; but?: RegExp }[] = [
  {
    write: 'Link, or URL of a webhook',
    not: /\baddress(?:es)?\b/i,
    // Of people, machines and what the browser shows on top.
    but: /[Ee]-mail|geo: address|address of the map|the browser then shows|IP address|S3 address|[Aa]ddress of this server|at this address|Check the address|The address and the|^address/,
  },
  { write: 'Refresh', not: /\b(?:read|look|load) again\b/i },
  { write: 'App opens', not: /\bmatches\b/i, but: /^(?:matches$|its filter matches|No record matches)|[Ff]ilter/ },
  { write: 'Created', not: /^(?:made|composed|made (?:in|of|by))\b/i },
  { write: 'Create', not: /^make (?:the|a|one|your)\b/i, but: /quick/ },
  { write: 'Import', not: /^files/i, but: /^files$/ },
  { write: 'Recipients', not: /^given to$/i },
  { write: 'In progress', not: /under way/i },
  { write: 'Why no push?', not: /^why not\?/i },
  { write: 'Cancelled', not: /\bcall(?:ed)? off\b|^stopped$/i },
  { write: 'Expired', not: /\btoo late\b/i },
  { write: 'Remove access', not: /take access/i },
  { write: 'Background', not: /\bground\b/i, but: /^ground$/ },
  { write: 'User id', not: /\buser identifiers?\b/i, but: /one user identifier a line/ },
  { write: 'iPhone and iPad', not: /\biOS\b/ },
  { write: 'Safari on Mac', not: /\bmacOS\b/, but: /^macOS$/ },
  { write: 'On each phone’s clock', not: /^on the clock of each phone/i },
  { write: 'Edit', not: /^change the (?:link|series|push)\b/i },
  { write: 'Certain users', not: /\b(?:certain people|people by name)\b/i },
]

const isSaid = (text: string, { not, but }: (typeof INSTEAD)[number]): boolean =>
  not.test(text) && but?.test(text) !== true

describe('what the console says', () => {
  it('explains every state of a recipient in a sentence, on the page of a user and in a report', () => {
    const trace = readFileSync(join(CONSOLE, 'pages/delivery/trace.tsx'), 'utf8')
    for (const state of STATES) {
      if (state !== 'not_a_recipient') expect(wordsOf(state, 'Apple').says, state).to.not.include('Its state is')
      expect(trace, state).to.match(new RegExp(`^  ${state}: \\[`, 'm'))
    }
  })

  it('explains them by the device, as its other pages call an install', () => {
    const words = textsIn('why-words.ts', readFileSync(WHY, 'utf8')).map(({ text }) => text)
    expect(words.length).to.be.above(70)
    expect(words.filter((text) => /\binstalls?\b/i.test(text))).to.deep.equal([])
  })

  it('has one word for one thing', () => {
    const said = saidByConsole()
    expect(said.length).to.be.above(3000)
    const found = INSTEAD.flatMap((rule) =>
      said.filter(({ text }) => isSaid(text, rule)).map(({ file, text }) => `${file}: “${text}”. Write: ${rule.write}`),
    )
    expect(found).to.deep.equal([])
  })

  it('is read in strings, in templates and between tags, without comments', () => {
    const source = `/** Read again */ const a = <p title="Made in">Read again {\`Matches \${n} too late\`}</p>`
    const texts = textsIn('one.tsx', source)
    const wrong = INSTEAD.flatMap((rule) => texts.filter(({ text }) => isSaid(text, rule)).map(({ text }) => text))
    expect(wrong).to.have.members(['Read again', 'Matches', 'Made in', 'too late'])
  })

  it('names platforms in one place', () => {
    const names = /^(?:Android|Huawei|iPhone and iPad|Browsers and UnifiedPush|Safari on Mac)$/
    const found = saidByConsole().filter(({ file, text }) => names.test(text) && file !== 'parts/platforms.ts')
    // The name that a browser gives itself is another thing.
    expect(found.filter(({ file }) => file !== 'pages/account/sessions.tsx')).to.deep.equal([])
  })

  it('has pages of an app below the app, and pages of the whole server below Server', () => {
    const entries = entriesOfNavigation()
    expect(entries.length).to.be.above(15)
    for (const { path, group } of entries) expect(group === 'server', path).to.equal(!path.startsWith('/apps/'))
  })
})
