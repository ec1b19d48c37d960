import { Flags } from '@oclif/core'
import { BaseCommand } from '../kinds/base.ts'

export class Nodes extends BaseCommand {
  static override summary = 'Show the processes that serve this database, and what they disagree about'
  static override description =
    'A node is alive, stopped (it was asked to) or gone: it was killed, or cannot reach the database. What it was sending is taken over ' +
    'within 35 s. Nodes that ended are remembered for a week.'
  static override examples = ['appsvc nodes', 'appsvc nodes --all --json']
  static override flags = {
    all: Flags.boolean({ description: 'also those that ended more than a day ago, and all that stopped as asked' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Nodes)
    const program = await this.open(flags)
    const [{ nodesOf, presentNode }, { disagreements }, { shortTime }] = await Promise.all([
      import('../../doctor/state/nodes.ts'),
      import('../../platform/instance/nodes.ts'),
      import('../output/present.ts'),
    ])
    const { now, nodes: known } = await nodesOf(program)
    const nodes = known.filter(
      ({ state, seenAt }) => flags.all || state === 'alive' || (state === 'gone' && now - seenAt < DAY_MS),
    )
    const found = disagreements(nodes)
    this.out.value({ nodes: nodes.map(presentNode), disagreements: found })
    this.out.table(
      ['MACHINE', 'PROCESS', 'NODE', 'STATE', 'ROLES', 'VERSION', 'SCHEMA', 'KEY', 'STARTED', 'LAST SEEN'],
      nodes.map(({ host, pid, id, state, roles, version, schemaStep, keyPrint, startedAt, seenAt }) => [
        host,
        pid,
        id,
        state,
        roles.join(' '),
        version,
        schemaStep,
        keyPrint,
        shortTime(startedAt),
        shortTime(seenAt),
      ]),
      'No node is running. Start one with appsvc serve.',
    )
    for (const sentence of found) this.out.line(this.out.paint('red', `! ${sentence}`))
  }
}

const DAY_MS = 86_400_000
