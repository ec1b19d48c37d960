import { formatNumber } from '../../parts/numbers.ts'
import { appZone, instantFrom } from '../../parts/zones.ts'
import type { Estimate } from './draft.ts'

const HOUR_MS = 3_600_000
const HOURS = 24
const zoneName = (zone: string | null) =>
  zone === null ? 'zone unknown' : zone.replace(/^.*\//, '').replaceAll('_', ' ')

/** Recipients by hour, on the clock of the app: 24 hours from the first due time, and the number of those that come later. */
export function HourStrip({ times }: { times: Estimate['times'] }) {
  const zone = appZone()
  const due = times.map((one) => ({ ...one, ms: instantFrom(one.at).getTime() }))
  const first = Math.floor(due[0]!.ms / HOUR_MS) * HOUR_MS
  const hours = Array.from({ length: HOURS }, (_, i) => {
    const here = due.filter(({ ms }) => Math.floor((ms - first) / HOUR_MS) === i)
    return {
      start: new Date(first + i * HOUR_MS),
      recipients: here.reduce((sum, { recipients }) => sum + recipients, 0),
      zones: [...new Set(here.flatMap(({ zones }) => zones))],
    }
  })
  const later = due
    .filter(({ ms }) => ms >= first + HOURS * HOUR_MS)
    .reduce((sum, { recipients }) => sum + recipients, 0)
  const most = Math.max(...hours.map(({ recipients }) => recipients), 1)
  const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', timeZone: zone })
  const day = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short', timeZone: zone })
  const busy = hours.filter(({ recipients }) => recipients > 0)
  return (
    <figure class="push-strip">
      <figcaption>
        Who gets it when, from {day.format(hours[0]!.start)}, {clock.format(hours[0]!.start)} (
        {zone.replaceAll('_', ' ')})
      </figcaption>
      <div class="push-hours" aria-hidden="true">
        {hours.map(({ start, recipients, zones }, i) => (
          <div
            key={start.getTime()}
            class="push-hour"
            title={`${clock.format(start)}: ${formatNumber(recipients)} ${zones.map(zoneName).join(', ')}`}
          >
            <span class="push-hour-bar" style={{ blockSize: `${(recipients / most) * 100}%` }} />
            <span class="push-hour-name">{i % 6 === 0 ? clock.format(start) : ''}</span>
          </div>
        ))}
      </div>
      <ul class="push-due">
        {busy.slice(0, 12).map(({ start, recipients, zones }) => (
          <li key={start.getTime()}>
            <span class="number">{clock.format(start)}</span>
            <strong class="number">{formatNumber(recipients)}</strong>
            <span class="quiet">{zones.map(zoneName).join(', ')}</span>
          </li>
        ))}
      </ul>
      {later > 0 && <p class="field-hint">{formatNumber(later)} get it after these 24 hours.</p>}
    </figure>
  )
}
