/** A process of write-turn.test.ts that has nothing to do but to wait for a turn that nobody gives back. */
import { createWriteTurn, newWriteTurnCell } from '../../../src/platform/db/write-turn.ts'

const turn = createWriteTurn(newWriteTurnCell(), { patienceMs: 100 })
await turn.take()
await turn.take()
console.log('served')
