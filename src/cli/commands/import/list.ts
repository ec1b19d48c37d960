import { listCommand } from '../../kinds/list-command.ts'
import { shortTime } from '../../output/present.ts'

export const ImportList = listCommand({
  summary: 'List imports of other services that were interrupted',
  description:
    'The same command with --resume continues one; appsvc import delete forgets how far it is. One that another process continues at this moment is listed, too.',
  examples: ['appsvc import list'],
  things: 'imports',
  none: 'No import was interrupted.',
  head: ['ID', 'SOURCE', 'ROWS', 'INSTALLS', 'REFUSED', 'STARTED', 'LAST STEP'],
  async page({ program, appId, flags }) {
    const { isoOffset } = await import('../../../platform/time/clock.ts')
    const { imports, next } = await program.imports.list(appId, { after: flags.after, limit: flags.limit })
    return {
      json: {
        imports: imports.map(({ id, source, place, counts, createdAt, updatedAt }) => ({
          id,
          source,
          rows: place,
          counts,
          createdAt: isoOffset(createdAt),
          updatedAt: isoOffset(updatedAt),
        })),
      },
      rows: imports.map(({ id, source, place, counts, createdAt, updatedAt }) => [
        id,
        source,
        place,
        counts.installs,
        counts.refused,
        shortTime(createdAt),
        shortTime(updatedAt),
      ]),
      next,
    }
  },
})
