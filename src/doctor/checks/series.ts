import { type Check, error, ok } from './types.ts'

/** Series that are named; the rest is counted. */
const MOST_NAMED = 10
/** Series that are counted: of one app there are never more. */
const MOST_COUNTED = 1000

/** Sends that repeat and cannot be sent any more, until somebody mends them. */
export const seriesCheck: Check = {
  name: 'series',
  group: 'sending',
  needs: 'program',
  async run({ storage: { program }, appId }) {
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
    return findings.length > 0 ? findings : [ok('no series is broken')]
  },
}
