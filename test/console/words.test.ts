import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { SLOT } from '../../src/domain/notifications/record/page.ts'
import { wordsOf } from '../../src/domain/profiles/why-words.ts'

const CONSOLE = join(import.meta.dirname, '../../src/console')
/** Every state in which the trace of a recipient can be. */
const STATES = ['not_a_recipient', 'waiting', ...Object.keys(SLOT)]

describe('what the console says', () => {
  it('explains every state of a recipient in a sentence, on the page of a user and in a report', () => {
    const trace = readFileSync(join(CONSOLE, 'pages/delivery/trace.tsx'), 'utf8')
    for (const state of STATES) {
      if (state !== 'not_a_recipient') expect(wordsOf(state, 'Apple').says, state).to.not.include('Its state is')
      expect(trace, state).to.match(new RegExp(`^  ${state}: \\[`, 'm'))
    }
  })
})
