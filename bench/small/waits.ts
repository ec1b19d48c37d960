import { percentile, type Result } from '../support/result.ts'
import { startTimedGateway, type TimedGateway } from '../support/timed-gateway.ts'
import type { SmallOptions } from './loads.ts'
import { openRig } from './rig.ts'
import { offer } from './sending.ts'

/** Requests a second that are offered, whether the server keeps up or not. */
const RATES = [5, 50, 200, 1000]
const OFFER_S = 3
/** Fewer calls tell nothing. */
const LEAST_CALLS = 20
const WARM_UP_CALLS = 300
const INSTALLS = 10_000

/** Measures the time from request to gateway at several rates. */
export async function measureWaits(options: SmallOptions): Promise<Result[]> {
  const gateway = await startTimedGateway()
  const rig = await openRig({ ...options, receiver: gateway, installs: [INSTALLS] })
  try {
    const [app] = rig.apps
    const offerCalls = (rate: number, calls: number) =>
      offer(rig, app!, { rate, connections: options.connections, mark: 'wait', goesOn: (number) => number < calls })
    await offerCalls(200, WARM_UP_CALLS)
    await rig.untilDone()
    await gateway.report()
    const results: Result[] = []
    for (const rate of RATES) {
      const calls = await offerCalls(rate, Math.max(OFFER_S * rate, LEAST_CALLS))
      await rig.untilDone()
      results.push(...waitRows(`at ${rate}/s, request to gateway`, await waitsOf(gateway, 'wait', calls)))
    }
    return results
  } finally {
    await rig.close()
    await gateway.stop()
  }
}

/** The waits of the pushes with this mark. Throws when the gateway did not get each of them. */
export async function waitsOf(gateway: TimedGateway, mark: string, calls: number): Promise<number[]> {
  const waits = (await gateway.report()).arrivals[mark]?.waits ?? []
  if (waits.length !== calls) throw new Error(`${calls} were sent, and the gateway got ${waits.length}`)
  return waits
}

export function waitRows(
  name: string,
  waits: readonly number[],
  against?: { name: string; waits: readonly number[] },
): Result[] {
  return [50, 99].map((percent) => ({
    name: `${name}, p${percent}`,
    value: percentile(waits, percent / 100),
    unit: 'ms',
    ...(against && { against: { name: against.name, value: percentile(against.waits, percent / 100) } }),
    note: `${waits.length} sends`,
  }))
}
