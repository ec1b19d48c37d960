import type { EXPIRIES, FAILURES, LEFT_OUT } from '../record/page.ts'

/** The explanation of a reason, for people. */
interface ReasonWords {
  /** The cause, as a sentence without a full stop: it tells what happened to these recipients. */
  sentence: string
  /** The remedy; null: nothing needs to be done. */
  remedy: string | null
}

type Reason =
  | keyof typeof FAILURES
  | keyof typeof EXPIRIES
  | keyof typeof LEFT_OUT
  | 'cancelled'
  | 'expired'
  | 'unknown'

/** Every reason that a report can give. Commands, the console and docs/reference/states.md say the same. */
const REASON_WORDS: Readonly<Record<Reason, ReasonWords>> = {
  token_dead: {
    sentence: 'the app was removed from the device, or got a new token: the vendor knows this one no more',
    remedy: null,
  },
  token_suspect: {
    sentence: 'the vendor refused the token, which may be due to a wrong credential or environment: it is kept',
    remedy: 'compare the environment and the app id of the gateway with those of the app: appsvc gateways check',
  },
  payload_error: {
    sentence: 'the vendor can never accept this message',
    remedy: "read the vendor's word beside it, and shorten or correct the content",
  },
  throttled_recipient: {
    sentence: 'the vendor says that this device gets too many messages',
    remedy: 'send less often, or set a frequency cap: appsvc apps restrain',
  },
  no_gateway: {
    sentence: 'the app has no gateway that can send to this platform',
    remedy: 'give the app the keys of the vendor: appsvc gateways set',
  },
  internal_error: {
    sentence: 'the delivery failed again and again in this server',
    remedy: 'read the log of the server, and run appsvc doctor',
  },
  missed: {
    sentence: 'it was due while the server could not send, longer ago than it may be late',
    remedy: 'see why the server stood still, or raise schedule.maxLateness',
  },
  quiet_hours: {
    sentence: 'it was within the quiet hours of the app where the device is',
    remedy: 'let the app hold such pushes until the end of the quiet hours: appsvc apps restrain',
  },
  frequency_cap: {
    sentence: 'the device had got as many pushes as the frequency cap of the app allows',
    remedy: 'raise the cap if it is too low: appsvc apps restrain',
  },
  past_time: {
    sentence: 'the time had passed already where the device is',
    remedy: 'schedule it a day ahead, or let past times be sent the next day',
  },
  not_wanted: {
    sentence: 'its user does not allow the purpose of the notification',
    remedy: null,
  },
  on_suppression_list: {
    sentence: 'its user is on the suppression list of the app',
    remedy: 'remove somebody who is there by mistake: appsvc suppressions delete',
  },
  user_changed: {
    sentence: 'somebody else used the device by then: the user to whom it was sent had signed out of it',
    remedy: null,
  },
  missing_value: {
    sentence: 'the message is personalised, and something that it says is missing for this person',
    remedy: "see in the report which: give it a default ({{ … | default: '…' }}), or fill the attribute",
  },
  cancelled: { sentence: 'somebody cancelled the notification first', remedy: null },
  expired: {
    sentence: 'its time to live ended before it could be sent',
    remedy: 'give it a longer ttl, and see whether a lane was held: appsvc status',
  },
  unknown: {
    sentence: 'the vendor never answered, so it may have arrived or not',
    remedy: null,
  },
}

/** The words of a reason or of the kind of a failure; undefined for a vendor's own reason. */
export function wordsOf(reason: string): ReasonWords | undefined {
  return Object.hasOwn(REASON_WORDS, reason) ? REASON_WORDS[reason as Reason] : undefined
}
