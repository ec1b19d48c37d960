import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { vendorAddresses } from '../../domain/gateways/registry.ts'
import { gatewaySettings } from '../../domain/gateways/settings.ts'
import type { VendorSetting } from '../../platform/config/settings.ts'
import { sendHttp } from '../../platform/net/http.ts'
import { ZONE_RULES } from '../../platform/time/clock.ts'
import {
  readZoneFile,
  ZONE_FILE,
  ZONE_RELEASE,
  ZONE_VARIABLE,
  type ZoneFile,
  zoneFolder,
} from '../../platform/time/zone-file.ts'
import { explainDoubt } from '../../platform/timekeeping/sentence.ts'
import { type Check, error, type Finding, info, ok, warning } from './types.ts'

/**
 * The error of a clock (ms) from which on our tokens are refused, and sends go out at the wrong time (docs/reference/promises.md
 * section 5).
 */
const WRONG_MS = 60_000
const OFF_MS = 5_000
const ASK_MS = 8_000

/** The wall clock against the `Date` headers of gateways, and against the steady clock while they are asked. */
export const clockCheck: Check = {
  name: 'clock',
  group: 'machine',
  needs: 'settings',
  live: true,
  async run({ config, clock }) {
    const { ca } = gatewaySettings(config)
    const now = () => clock.now() + (clock.doubt()?.off ?? 0)
    const [wall, steady] = [now(), clock.monotonic()]
    const ask = async (url: string): Promise<number[]> => {
      const begun = now()
      const reply = await sendHttp({ method: 'GET', url, ca, deadlineMs: ASK_MS }).catch(() => undefined)
      const said = Date.parse(reply?.headers.date ?? '')
      // The header has whole seconds: on average half a second has passed since.
      return Number.isNaN(said) ? [] : [(begun + now()) / 2 - (said + 500)]
    }
    const urls = Object.keys(vendorAddresses).map((name) => config[`gateways.${name}` as VendorSetting]!)
    const offs = (await Promise.all(urls.map(ask))).flat()
    const jump = now() - wall - (clock.monotonic() - steady)
    const doubt = clock.doubt()
    if (doubt === undefined) return [judgeClock(offs, jump)]
    const { what, remedy } = explainDoubt(doubt, undefined)
    return [error(what, remedy), judgeClock(offs, jump)]
  },
}

/** `offs`: by how much the clock is ahead of each server that was asked; `jump`: by how much it moved meanwhile (ms). */
export function judgeClock(offs: readonly number[], jump: number): Finding {
  const remedy = 'timedatectl set-ntp true, or install chrony'
  if (Math.abs(jump) > OFF_MS) {
    return error(`the clock was moved by ${Math.round(jump / 1000)} s while this check ran`, remedy)
  }
  if (offs.length === 0) return info('no gateway told the time, so the clock was not compared')
  // The median: one server may be wrong itself.
  const off = [...offs].sort((a, b) => a - b)[offs.length >> 1]!
  const by = `the clock is ${Math.round(Math.abs(off) / 1000)} s ${off > 0 ? 'ahead of' : 'behind'} the gateways`
  if (Math.abs(off) > WRONG_MS) return error(`${by}: they refuse what we sign, and schedules are wrong`, remedy)
  if (Math.abs(off) > OFF_MS) return warning(by, remedy)
  return ok(`the clock agrees with ${offs.length === 1 ? 'a gateway' : `${offs.length} gateways`}`)
}

/** Age of the time zone rules that schedules use, against those of the system. */
export const timeZonesCheck: Check = {
  name: 'time-zones',
  group: 'machine',
  needs: 'settings',
  async run({ clock, config }) {
    const folder = zoneFolder(config)
    const own = { folder, isNamed: config['timezones.dir'] !== '', file: readZoneFile(folder) }
    return [judgeZones(ZONE_RULES, systemZones(), new Date(clock.now()).getUTCFullYear(), own)]
  },
}

const SYSTEM_ZONES = '/usr/share/zoneinfo'

/** The release of the system's rules (tzdata), such as `2026a`; undefined without them. */
function systemZones(): string | undefined {
  const firstLineOf = (name: string) => {
    try {
      return readFileSync(join(SYSTEM_ZONES, name), 'latin1').slice(0, 100).split('\n')[0]!
    } catch {
      return undefined
    }
  }
  return /^# version (\S+)/.exec(firstLineOf('tzdata.zi') ?? '')?.[1] ?? firstLineOf('+VERSION')?.trim()
}

/** The folder for newer rules than those in this program, and the state of the file in it. */
interface OwnZones {
  folder: string
  /** True when the setting `timezones.dir` names the folder. */
  isNamed: boolean
  file: ZoneFile
}

/** Judges the release of the rules, beside that of the system, in this year, and with a file of the operator. */
export function judgeZones(ours: string, systems: string | undefined, year: number, own?: OwnZones): Finding {
  const remedy = `install the newest appsvc, or put newer rules into ${own?.folder ?? 'timezones'} (docs/upgrade.md)`
  if (own?.file.state === 'unusable') {
    const why = `${ZONE_FILE} in ${own.folder} is not used, because ${own.file.why}`
    return error(`${why}: the time zone rules are of ${ours}`, 'copy the file again (docs/upgrade.md), and restart')
  }
  if (own?.file.state === 'usable' && own.file.release !== ours) {
    const what = `the time zone rules are of ${ours}, and ${ZONE_FILE} in ${own.folder} has ${own.file.release}`
    if (own.file.release < ours) return warning(`${what}: it is not used`, `delete it: this appsvc is newer`)
    return warning(what, `restart; where that does not help, set ${ZONE_VARIABLE} to that folder before the start`)
  }
  if (own?.file.state === 'absent' && own.isNamed) {
    return error(`timezones.dir has no ${ZONE_FILE}: the time zone rules are of ${ours}`, `copy it to ${own.folder}`)
  }
  if (!ZONE_RELEASE.test(ours)) return warning('the release of the time zone rules is unknown', remedy)
  const made = Number(ours.slice(0, 4))
  if (systems !== undefined && ZONE_RELEASE.test(systems) && systems > ours) {
    return warning(`the time zone rules are of ${ours}, and this system has ${systems}`, remedy)
  }
  // Countries change their rules several times a year.
  if (year - made > 1) return warning(`the time zone rules are of ${ours}: schedules may be an hour off`, remedy)
  const from = own?.file.state === 'usable' ? ` (from ${own.folder})` : ''
  return ok(`the time zone rules are of ${ours}${from}${systems === undefined ? '' : `, the system has ${systems}`}`)
}
