import type { InstanceRepository } from '../../../platform/instance/repository.ts'
import type { Log } from '../../../platform/log/log.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Recipient } from '../../crm/types.ts'
import type { Sender, TokenEnvironment } from '../../gateways/gateway.ts'
import type { LanesRepository } from '../../gateways/lanes.repository.ts'
import type { FanOut } from '../fan-out/fan-out.ts'
import type { PersonalReads } from '../personal/reads.ts'
import type { Ledger } from '../record/ledger.repository.ts'
import type { SlotName } from '../record/page.ts'
import type { BufferMemory } from './buffer-memory.ts'
import type { LaneControl } from './lane-control.ts'
import type { OwnersRepository } from './owners.repository.ts'
import type { Restrainer } from './restraint.repository.ts'

/** Reads and writes installs for deliveries; the CRM area provides it. */
export interface RecipientStore {
  deliveryRecipients(appId: number, rows: number[]): Promise<Recipient[]>
  retireToken(appId: number, row: number, token: string, reason: string): Promise<void>
  /** Counts a refusal of a token; returns how many there were since the token was last accepted. */
  countRefusal(appId: number, row: number, token: string): Promise<number>
  clearRefusals(appId: number, row: number): Promise<void>
  rememberEnvironment(appId: number, row: number, token: string, environment: TokenEnvironment): Promise<void>
}

export interface DeliveryAreas {
  ledger: Ledger
  queue: Queue
  crm: RecipientStore
  owners: OwnersRepository
  personal: PersonalReads
  fanOut: Pick<FanOut, 'finish'>
  gateways: { lanes: LanesRepository }
  restraint: Restrainer
  instance: Pick<InstanceRepository, 'hold'>
}

export interface DeliveryParts {
  read: DeliveryAreas
  inTransaction<T>(work: (areas: DeliveryAreas) => Promise<T>): Promise<T>
  clock: Clock
  log: Log
  /** Recipients begun in one transaction; up to twice as many may be in flight. */
  chunk: number
  /** Called after the commit with the number of recipients that got a final outcome. */
  count?(outcome: SlotName, recipients: number): void
  random: () => number
}

/** A lane's sender and its control, in the memory of one thread. */
export interface LaneContext {
  laneId: number
  platform: number
  sender: Sender | undefined
  control: LaneControl
  /** Number of times in a row that the lane was held when the page was claimed. */
  holds: number
  /** For the tokens and messages of its pages; absent means that each page has its own. */
  memory?: BufferMemory
}

/** A `count` that adds to a map. */
export function countInto(outcomes: Map<string, number>): (outcome: SlotName, recipients: number) => void {
  return (outcome, recipients) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + recipients)
}

/**
 * Wraps `inTransaction` so that, after each commit, it counts recipients whose page was finished when it was stored
 * (skipped, without a gateway, too late). No worker ever claims those pages.
 */
export function countingSettled<A extends { ledger: Pick<Ledger, 'settledAtOnce'> }>(
  inTransaction: <T>(work: (areas: A) => Promise<T>) => Promise<T>,
  count: (outcome: SlotName, recipients: number) => void,
): <T>(work: (areas: A) => Promise<T>) => Promise<T> {
  return async (work) => {
    const { value, settled } = await inTransaction(async (areas) => {
      const value = await work(areas)
      return { value, settled: areas.ledger.settledAtOnce() }
    })
    for (const [outcome, recipients] of settled) count(outcome, recipients)
    return value
  }
}
