import { OWN_EVENTS } from '../../src/domain/events/event-types.ts'
import type { StoredEvent } from '../../src/domain/events/types.ts'
import type { Program } from '../../src/program.ts'

const OWN: readonly string[] = Object.values(OWN_EVENTS)

/** The first events of an app without those that the server itself wrote: about new users, tokens and sends. */
export async function uploadedEvents(program: Program, appId: number): Promise<StoredEvent[]> {
  return (await program.events.after(appId, 0, 10_000)).filter(({ type }) => !OWN.includes(type))
}
