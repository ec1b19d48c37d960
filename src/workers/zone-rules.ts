import type { Log } from '../platform/log/log.ts'
import { ZONE_RULES } from '../platform/time/clock.ts'
import { readZoneFile, ZONE_FILE, zoneFolder } from '../platform/time/zone-file.ts'
import type { Program } from '../program.ts'

/** Number of sends that one transaction plans again. */
const AT_ONCE = 100

/**
 * Plans scheduled sends again when the time zone rules of this program (`release`) differ from those by which they were
 * planned, and logs the sends that are now due at another time. Call it before anything is sent. An interrupted run begins
 * again at the next start.
 */
export async function followZoneRules(program: Program, log: Log, release: string = ZONE_RULES): Promise<void> {
  const { zoneRules: before } = await program.instance.read()
  if (before === release) return
  for (const [what, replan] of [
    ['notification', 'replanPushes'],
    ['in-app message', 'replanInApp'],
  ] as const) {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const from: number = after
      const { moved, last } = await program.inTransaction((tx) => tx[replan](from, AT_ONCE))
      for (const one of moved) {
        log.info(
          { [what]: one.id, app: one.appId, release },
          `the rules of its time zone changed: the ${what} is due at another time`,
        )
      }
      after = last
    }
  }
  await program.inTransaction((tx) => tx.instance.setZoneRules(release))
  if (before !== null) log.info({ before, release }, 'schedules follow another release of the time zone rules')
}

/** Says in the log that a file with time zone rules is not used, and why. */
export function warnOfUnusedZones(program: Program, log: Log): void {
  const folder = zoneFolder(program.kernel.config)
  const found = readZoneFile(folder)
  const isNamed = program.kernel.config['timezones.dir'] !== ''
  if (found.state === 'unusable') log.warn({ folder }, `${ZONE_FILE} is not used: ${found.why}`)
  else if (found.state === 'absent' && isNamed) log.warn({ folder }, `timezones.dir has no ${ZONE_FILE}`)
}
