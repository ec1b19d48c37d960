import { messageOf } from '../../../platform/errors.ts'
import type { Outcome, Sender } from '../gateway.ts'

/** The outcome of every push that the vendor took and of whose answer nothing else is kept: one object for all. */
export const ACCEPTED: Outcome = Object.freeze({ kind: 'accepted' })

/** `sendAll` of a sender that knows only how to send to one recipient. */
export function sendEach(send: Sender['send']): Sender['sendAll'] {
  return (prepared, recipients, from, to, done) => {
    const sendOne = async (index: number) => {
      let outcome: Outcome
      try {
        outcome = toShared(await send(prepared, recipients.at(index)!))
      } catch (error) {
        // A sender should never throw. If it does, it may have sent.
        outcome = { kind: 'uncertain', reason: `internal error of the sender: ${messageOf(error)}` }
      }
      done(index, outcome)
    }
    for (let index = from; index < to; index++) void sendOne(index)
  }
}

/** An outcome as `sendAll` gives it: drops the vendor's id of an accepted push, which only a single send shows. */
export function toShared(outcome: Outcome): Outcome {
  if (outcome.kind !== 'accepted') return outcome
  return outcome.environment === undefined ? ACCEPTED : { kind: 'accepted', environment: outcome.environment }
}
