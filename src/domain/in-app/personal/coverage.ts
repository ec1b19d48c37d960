import { chunks } from '../../../platform/concurrency/chunks.ts'
import type { Pace } from '../../../platform/long-reads/pace.ts'
import { CoverageTally, type ReadersCoverage, type RenderNotes } from '../../personalization/people/coverage.ts'
import type { PersonalContent } from '../types.ts'
import { wordsOf } from './as-written.ts'
import { compileMessage } from './compiled-message.ts'
import { forReaders, type InAppReads } from './give-users.ts'

/** Users between two turns of a long read. */
const TURN = 250

/**
 * Renders a message for each user of a sample, as of `now` (ms), and counts the results. Stops when the time of `pace` is over: fewer
 * are `sampled` then.
 */
export async function coverageOf(
  reads: InAppReads,
  { appId, content }: { appId: number; content: PersonalContent },
  users: readonly number[],
  now: number,
  pace: Pace,
): Promise<ReadersCoverage> {
  const message = compileMessage(content)
  const tally = new CoverageTally(message)
  for (const some of chunks(users, TURN)) {
    if (!(await pace.turn())) break
    await forReaders(reads, { appId, message, named: true }, some, now, (_, reader, chain) => {
      const notes: RenderNotes = { missing: [], defaults: [] }
      const made = message.give(reader, chain, notes)
      if ('missing' in made) return tally.add(reader, notes, 'missing')
      if ('tooLarge' in made) return tally.add(reader, notes, 'too large')
      const texts = JSON.parse(made.texts ?? '{}') as Record<string, unknown>
      const { content: document } = message.show(made.language, texts)
      tally.add(reader, notes, { language: made.language, ...wordsOf(document) })
    })
  }
  return tally.coverage()
}
