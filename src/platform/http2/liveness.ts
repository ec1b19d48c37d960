import { type SessionSettings, SILENT_DEADLINES } from './session.ts'

/** Actions of Liveness on its session. */
export interface LivenessActions {
  ping(): void
  /** The peer answered our PING. */
  alive(): void
  /** The peer did not answer a PING in time. */
  dead(): void
  /** Too many deadlines passed without a reply: another session should take over. */
  replace(): void
}

/**
 * Checks whether the peer of a session still answers. Sends a PING after a missed deadline, and before new requests
 * when the peer was silent for long. After two missed deadlines without a reply in between, it has the session
 * replaced.
 */
export class Liveness {
  readonly #settings: Pick<SessionSettings, 'pingIdleMs' | 'pingTimeoutMs'>
  readonly #actions: LivenessActions
  #heardAt = performance.now()
  #timer: NodeJS.Timeout | undefined
  #silent = 0

  constructor(settings: Pick<SessionSettings, 'pingIdleMs' | 'pingTimeoutMs'>, actions: LivenessActions) {
    this.#settings = settings
    this.#actions = actions
  }

  /** A PING is unanswered. */
  get asking(): boolean {
    return this.#timer !== undefined
  }

  /** Bytes arrived from the peer. */
  heard(now: number): void {
    this.#heardAt = now
  }

  /** A complete reply arrived. */
  answered(): void {
    this.#silent = 0
  }

  /**
   * Call before writing requests. True if a PING must be answered first: one is unanswered, or the peer was silent for
   * too long.
   */
  mustAsk(now: number): boolean {
    return this.asking || now - this.#heardAt >= this.#settings.pingIdleMs
  }

  /** Sends a PING unless one is unanswered. */
  ask(): void {
    if (this.asking) return
    this.#timer = setTimeout(() => this.#actions.dead(), this.#settings.pingTimeoutMs)
    this.#actions.ping()
  }

  /** The answer to our PING. */
  acknowledged(now: number): void {
    if (!this.asking) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#heardAt = now
    this.#actions.alive()
  }

  /** A request exceeded its deadline. */
  missed(): void {
    this.#silent += 1
    if (this.#silent >= SILENT_DEADLINES) this.#actions.replace()
    this.ask()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
