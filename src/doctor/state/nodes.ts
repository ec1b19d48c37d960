import { type JudgedNode, judgeNodes } from '../../platform/instance/nodes.ts'
import { isoOffset, isoOffsetOrNull } from '../../platform/time/clock.ts'
import type { Program } from '../../program.ts'
import { isServed } from './served.ts'

/** The nodes of this database, and the time (ms) by the clock of the database. */
export async function nodesOf(program: Program): Promise<{ now: number; nodes: JudgedNode[] }> {
  const now = await program.nodes.now()
  return { now, nodes: judgeNodes(await program.nodes.list(), { now, served: await isServed(program) }) }
}

/** A node as JSON. */
export function presentNode({ startedAt, seenAt, stoppedAt, clockAhead, ...node }: JudgedNode) {
  return {
    ...node,
    startedAt: isoOffset(startedAt),
    seenAt: isoOffset(seenAt),
    stoppedAt: isoOffsetOrNull(stoppedAt),
    clockAheadSeconds: clockAhead / 1000,
  }
}
