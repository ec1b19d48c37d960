import { disagreementsAmong, type JudgedNode, judgeNodes, nameOf } from '../../platform/instance/nodes.ts'
import { type Check, error, type Finding, info, ok, warning } from './types.ts'

const DAY_MS = 86_400_000
/** Gone nodes that one sentence names. */
const MOST_NAMED = 5

/** The processes that serve this database: whether they agree, and which are gone. */
export const nodesCheck: Check = {
  name: 'nodes',
  group: 'database',
  needs: 'program',
  async run({ storage: { program, db }, served }) {
    const now = await program.nodes.now()
    // On PostgreSQL signs of life tell. On SQLite the lock does, which the serving process itself must not try.
    const judging = db.kind === 'postgres' ? { now } : { now, served: served === true }
    return judgeMembers(judgeNodes(await program.nodes.list(), judging), now)
  },
}

/** Judges the nodes. `now` by the clock of the database (ms). */
export function judgeMembers(nodes: readonly JudgedNode[], now: number): Finding[] {
  const alive = nodes.filter(({ state }) => state === 'alive')
  const findings = disagreementsAmong(nodes).map(({ about, what, remedy }) =>
    about === 'key' ? error(what, remedy) : warning(what, remedy),
  )
  const gone = nodes.filter(({ state, seenAt }) => state === 'gone' && now - seenAt < DAY_MS)
  // Whoever started there after it has taken its place; without any node the server is simply not running.
  const isReplaced = (node: JudgedNode) =>
    alive.some(({ host, startedAt }) => host === node.host && startedAt >= node.startedAt)
  const missing = alive.length === 0 ? [] : gone.filter((node) => !isReplaced(node))
  if (missing.length > 0) {
    findings.push(
      warning(
        `${listed(missing)} did not stop as asked and was not seen again: it was killed, or cannot reach the database`,
        'start it again there; if it is gone for good, nothing: it is forgotten after a week',
      ),
    )
  }
  const past = gone.filter((node) => !missing.includes(node))
  if (past.length > 0) findings.push(info(`${listed(past)} ended in the last day without being asked to`))
  if (findings.some(({ level }) => level !== 'info')) return findings
  if (alive.length === 0) return findings
  return [
    ok(alive.length === 1 ? `1 node serves: ${nameOf(alive[0]!)}` : `${alive.length} nodes serve and agree`),
  ].concat(findings)
}

function listed(nodes: readonly JudgedNode[]): string {
  const names = nodes.slice(0, MOST_NAMED).map(nameOf)
  const more = nodes.length - names.length
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
}
