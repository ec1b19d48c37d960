import { chunks } from '../../../platform/concurrency/chunks.ts'
import { chainBy } from '../../personalization/people/chain.ts'
import { joinLookUps, type Reader, readsPeople } from '../../personalization/people/readers.ts'
import type { CompiledContent, Edited } from './compiled-content.ts'
import type { PersonalReads } from './reads.ts'

/** Recipients that are read and edited at a time: their attributes may be large. */
const SOME = 250

/** The notification whose content is edited. */
export interface EditedMessage {
  appId: number
  /** Undefined for one that is not sent yet. */
  notificationId: number | undefined
  content: CompiledContent
}

/** Edits a content for installs, `rows`, as of `now` (ms). Calls `take` for each of them, in order. */
export async function editForInstalls(
  reads: PersonalReads,
  message: EditedMessage,
  rows: readonly number[],
  now: number,
  take: (row: number, edited: Edited, reader: Reader) => void,
): Promise<void> {
  const { appId, content } = message
  const { needs } = content
  const app = needs.app ? { name: await reads.appName(appId) } : undefined
  const attribute = content.hasLanguages ? await reads.languageAttribute(appId) : null
  const chainOf = chainBy(attribute)
  for (const some of readsPeople(needs) ? chunks(rows, SOME) : [rows]) {
    const readers = await readersOf(reads, message, some, attribute !== null, { app, now })
    await joinLookUps(reads, appId, needs, readers)
    for (const [i, row] of some.entries()) {
      const reader = readers[i]!
      take(row, content.edit(reader, chainOf(reader.person)), reader)
    }
  }
}

async function readersOf(
  reads: PersonalReads,
  { appId, notificationId, content: { needs } }: EditedMessage,
  rows: readonly number[],
  languageIsAttribute: boolean,
  same: { app: { name: string } | undefined; now: number },
): Promise<Reader[]> {
  if (!readsPeople(needs)) return rows.map(() => ({ ...same, person: undefined }))
  const attributes = needs.person.attributes || languageIsAttribute
  const people = await reads.people.ofInstalls(appId, rows, { ...needs.person, attributes })
  const { app, now } = same
  if (!needs.meta || notificationId === undefined) return rows.map((row) => ({ app, now, person: people.get(row) }))
  const identifiers = [...new Set([...people.values()].map(({ identifier }) => identifier!))]
  const meta = await reads.metaOf(appId, notificationId, identifiers)
  return rows.map((row) => {
    const person = people.get(row)
    return { ...same, person, meta: person && meta.get(person.identifier!) }
  })
}
