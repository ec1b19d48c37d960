import { readFileSync } from 'node:fs'
import { gatewaySettings } from '../../domain/gateways/configure/settings.ts'
import { vendorAddresses } from '../../domain/gateways/registry.ts'
import { ZONE_RULES } from '../../platform/clock.ts'
import type { VendorSetting } from '../../platform/config.ts'
import { sendHttp } from '../../platform/http.ts'
import { explainDoubt } from '../../platform/timekeeping/sentence.ts'
import { type Check, error, type Finding, info, ok, warning } from '../types.ts'

/** From here on tokens that we sign are refused, and scheduled sends go out at the wrong time (docs/reference/promises.md section 5). */
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
  async run({ clock }) {
    return [judgeZones(ZONE_RULES, systemZones(), new Date(clock.now()).getUTCFullYear())]
  },
}

/** The release of the system's rules (tzdata), such as `2026a`; undefined without them. */
function systemZones(): string | undefined {
  try {
    return /^# version (\S+)/.exec(readFileSync('/usr/share/zoneinfo/tzdata.zi', 'latin1').slice(0, 100))?.[1]
  } catch {
    return undefined
  }
}

const RELEASE = /^(20\d\d)[a-z]$/

/** What the release of the rules means, beside that of the system and in this year. */
export function judgeZones(ours: string, systems: string | undefined, year: number): Finding {
  const remedy = 'install the newest appsvc: a release has the rules of its day'
  const made = Number(RELEASE.exec(ours)?.[1])
  if (Number.isNaN(made)) return warning('the release of the time zone rules is unknown', remedy)
  if (systems !== undefined && RELEASE.test(systems) && systems > ours) {
    return warning(`the time zone rules are of ${ours}, and this system has ${systems}`, remedy)
  }
  // Countries change their rules several times a year.
  if (year - made > 1) return warning(`the time zone rules are of ${ours}: schedules may be an hour off`, remedy)
  return ok(`the time zone rules are of ${ours}`)
}
