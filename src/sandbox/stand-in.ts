import type { Clock } from '../platform/clock.ts'
import type { Devices } from './devices.ts'
import { perform, settleWith } from './effects.ts'
import type { Answer, Exchange } from './exchange.ts'
import type { Faults } from './faults.ts'
import type { Ledger } from './ledger.ts'
import type { ListenerOptions } from './listener.ts'
import type { Effect, Place } from './plan.ts'
import type { Quota } from './quota.ts'

/** What every stand-in for a gateway works with. */
export interface StandInOptions extends Pick<ListenerOptions, 'host' | 'port' | 'manners'> {
  devices: Devices
  faults(): Faults
  quota(): Quota | undefined
  ledger: Ledger
  clock: Clock
}

/** Answers an OAuth token call: as a rule for `place` says, else with what `grant` decides. */
export function answerTokenCall(
  { faults, ledger }: Pick<StandInOptions, 'faults' | 'ledger'>,
  exchange: Exchange,
  place: Place,
  { scripted, grant }: { scripted(effect: Effect): Answer | undefined; grant(): Answer },
): void {
  const effect = faults().pick({ place })
  settleWith(exchange, effect, () => {
    const answer = (effect && scripted(effect)) ?? grant()
    if (answer.status === 200) ledger.countAccessToken()
    perform(exchange, answer, effect)
  })
}
