import type { Right } from '../../domain/admins/types.ts'
import type { Program } from '../../program.ts'
import type { CommandEvent } from './command-request.ts'
import type { ReceivedCommand } from './command-upload.ts'

/** The person who runs a command, with their rights. */
export interface CommandPerson {
  id: number
  /** True when the person may do what the console asks a fresh sign-in for. */
  isConfirmed: boolean
  /** Tells whether this person's role sees no personal data in the app. */
  isMasked(appId: number): boolean
  /** Tells whether the person has the right in the app; null: on the whole server. */
  may(right: CommandRight, appId: number | null): boolean
  /** Tells whether the person has any role in the app. */
  sees(appId: number): boolean
  /** Called when a command begins: the person's rights there have to last. Null: on the whole server. */
  began?(appId: number | null): void
}

/** See docs/remote.md. */
export type CommandRight = Exclude<Right, 'self'>

/** The command that ran, for the audit log. */
export interface CommandDone {
  /** `channels.create` */
  action: string
  appId: number | null
  words: readonly string[]
  exit: number
  /** True when the right was never granted: the command did nothing. */
  isRefused: boolean
  /** True when it changes something, or takes personal data out: one row for each run. */
  isNotedAlways: boolean
}

export interface CommandJob {
  program: Program
  command: Pick<ReceivedCommand, 'request' | 'paths'>
  person: CommandPerson
  /** Aborted when the caller is gone or `ended` is. */
  signal: AbortSignal
  /** Aborted when the person has no access any more; the command is told the reason. */
  ended: AbortSignal
  /** Lets the command go on, from now on, when the person's access ends. */
  unwatch(): void
  /** Set to find out only whether the person may run the command: it ends before it reads or does anything. */
  onlyAdmit?: true
  /** Resolves when the caller can take more. Rejects when it is gone. */
  say(event: CommandEvent): Promise<void>
  /** Called once when a command has ended or was refused, but not when it waits for more from its caller. */
  audit(done: CommandDone): Promise<void>
}

/** Runs commands of the command line. Throws `not_found`, `usage` or `forbidden` before the command begins. */
export type CommandRunner = (job: CommandJob) => Promise<void>

const runners = new WeakMap<Program, CommandRunner>()

/** Makes the server of this program run commands. The command line, which starts the server, brings them. */
export function offerCommands(program: Program, runner: CommandRunner): void {
  runners.set(program, runner)
}

/** The runner of a program; undefined for a server that was started without one. */
export function commandRunnerOf(program: Program): CommandRunner | undefined {
  return runners.get(program)
}
