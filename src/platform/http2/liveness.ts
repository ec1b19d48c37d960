import { type SessionSettings, SILENT_DEADLINES } from './session.ts'

/** What liveness does to its session. */
export interface LivenessActions {
  ping(): void
  /** The peer answered our PING. */
  alive(): void
  /** The peer did not answer a PING in time. */
  dead(): void
  /** Alive perhaps, but silent for too many deadlines: another session should take over. */
  replace(): void
}

/**
 * Whether a session can be relied on: PING before use after a long silence, PING after a missed deadline, and replacement
 * after two missed deadlines in a row.
 */
export class Liveness {
  private readonly settings: Pick<SessionSettings, 'pingIdleMs' | 'pingTimeoutMs'>
  private readonly actions: LivenessActions
  private heardAt = performance.now()
  private timer: NodeJS.Timeout | undefined
  private silent = 0

  constructor(settings: Pick<SessionSettings, 'pingIdleMs' | 'pingTimeoutMs'>, actions: LivenessActions) {
    this.settings = settings
    this.actions = actions
  }

  /** A PING is on its way and not answered. */
  get asking(): boolean {
    return this.timer !== undefined
  }

  /** Bytes came from the peer. */
  heard(now: number): void {
    this.heardAt = now
  }

  /** A whole reply came. */
  answered(): void {
    this.silent = 0
  }

  /** Before requests are written: true when the connection was quiet for so long that a PING goes first. */
  mustAsk(now: number): boolean {
    return this.asking || now - this.heardAt >= this.settings.pingIdleMs
  }

  /** Sends a PING unless one is under way. */
  ask(): void {
    if (this.asking) return
    this.timer = setTimeout(() => this.actions.dead(), this.settings.pingTimeoutMs)
    this.actions.ping()
  }

  /** The answer to our PING. */
  acknowledged(now: number): void {
    if (!this.asking) return
    clearTimeout(this.timer)
    this.timer = undefined
    this.heardAt = now
    this.actions.alive()
  }

  /** A request went over its deadline. */
  missed(): void {
    this.silent += 1
    if (this.silent >= SILENT_DEADLINES) this.actions.replace()
    this.ask()
  }

  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }
}
