import type { Program } from '../../program.ts'
import { holdOf } from '../state/hold.ts'
import { type Check, error, type Finding, ok, warning } from './types.ts'

/** Series that are named; the rest is counted. */
const MOST_NAMED = 10
/** Series that are counted: of one app there are never more. */
const MOST_COUNTED = 1000

/** Sends that repeat and cannot be sent any more, until somebody mends them; and those that go on and reach nobody. */
export const seriesCheck: Check = {
  name: 'series',
  group: 'sending',
  needs: 'program',
  async run({ storage: { program }, appId, served }) {
    const broken = await program.series.broken(appId, MOST_COUNTED)
    const findings = broken
      .slice(0, MOST_NAMED)
      .map(({ id, appId, why }) =>
        error(
          `series ${id} of app ${appId} is not sent any more: ${why}`,
          `mend that, then appsvc series resume ${id} --app ${appId}`,
        ),
      )
    const more = broken.length - MOST_NAMED
    if (more > 0) {
      const many = broken.length === MOST_COUNTED ? `${more} or more` : `${more}`
      findings.push(error(`${many} other series are not sent any more`, 'appsvc series list --state broken'))
    }
    findings.push(...(await inVain(program, appId, served)))
    return findings.length > 0 ? findings : [ok('no series is broken')]
  },
}

/** Series that go on, although nothing of them can be sent. */
async function inVain(program: Program, appId: number | undefined, served: boolean | undefined): Promise<Finding[]> {
  const active = await program.series.goingOn(appId, MOST_COUNTED)
  if (active.length === 0) return []
  const findings: Finding[] = []
  if (await holdOf(program, served)) {
    findings.push(warning('no time of a series is planned while this database is held', 'appsvc release'))
  }
  for (const app of active.flatMap(({ appId, kind }) => (kind === 'push' ? [appId] : []))) {
    if ((await program.gateways.sendable(app)).length > 0) continue
    findings.push(
      warning(
        `the series of app ${app} reach nobody: it has no push gateway that can send`,
        `appsvc gateways set --app ${app}`,
      ),
    )
  }
  return findings
}
