import type { Outcome, Prepared, PushRecipient, Sender } from '../../src/domain/gateways/gateway.ts'

/** The outcomes of `sendAll` for `[from..to)`, by index. Throws unless each comes once, and none before it returned. */
export function sendPage(
  sender: Sender,
  prepared: Prepared,
  recipients: readonly PushRecipient[],
  { from = 0, to = recipients.length }: { from?: number; to?: number } = {},
): Promise<Outcome[]> {
  return new Promise((resolve, reject) => {
    const outcomes = new Map<number, Outcome>()
    let returned = false
    sender.sendAll(prepared, recipients, from, to, (index, outcome) => {
      if (!returned) return reject(new Error(`${index} was settled before sendAll returned`))
      if (index < from || index >= to || outcomes.has(index)) return reject(new Error(`${index} was not asked for`))
      outcomes.set(index, outcome)
      if (outcomes.size === to - from) {
        // One that comes twice would come until then.
        setImmediate(() => resolve(Array.from({ length: to - from }, (_, i) => outcomes.get(from + i)!)))
      }
    })
    returned = true
  })
}
