import type { AppRecord } from '../../domain/apps/types.ts'
import type { Program } from '../../program.ts'

/** A file that the command writes on the caller's machine. */
interface CallerFile {
  /** Writes bytes at the position, in place of all that stood behind it. Resolves when the caller can take more. */
  put(position: number, bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}

/**
 * Caller on another machine, for whom this server runs a command (docs/decisions/0055-commands-from-another-machine.md). A
 * command that needs something of that machine and does not have it ends the run with `Wanted`; the caller sends the same
 * command line again with it. So every command asks for all that it needs before it changes anything. Until the right to run
 * the command was checked, by `begin` or `admit`, every request to the caller throws, and so does every use of `program`
 * (docs/decisions/0073-commands-fail-closed.md).
 */
export interface Caller {
  /** The program of the server, behind the gate of this run. */
  program: Program
  /** Throws `usage` or `forbidden` unless the caller may run this command somewhere. */
  begin(id: string, words: readonly string[]): void
  /** Aborted when the caller is gone, or has no access any more. */
  signal: AbortSignal
  /** Tells whether the caller may know that there is this app. */
  sees(appId: number): boolean
  /** Tells whether an app that the caller sees has this id or name. */
  isApp(ref: string): Promise<boolean>
  /**
   * The app that the command line names; `ref` undefined: the only one. Throws as `findApp`, and `forbidden` unless the caller
   * may run this command in it.
   */
  admit(ref: string | undefined): Promise<AppRecord>
  /**
   * The path of the copy of a file, `-` for standard input. Throws `Wanted`, or the error of the caller's system (`code` is
   * ENOENT, …) with which it could not be read.
   */
  pathOf(file: string): string
  /** Throws like `pathOf` unless the caller has said that it can write the file. */
  expectOutput(file: string, mode: number): void
  /** Opens the file, of which the first `kept` bytes stay. Throws like `expectOutput`. */
  openOutput(file: string, mode: number, kept: number): CallerFile
  /** The answer to a question. Rejects with `Wanted` until it was given. */
  answer(question: string): Promise<string>
}

/** A request to the caller. */
export type Want = { file: string } | { output: string; mode: number } | { answer: string }

/** Ends a run that is no failure: it has done all that it was to do for now. */
export class Paused extends Error {}

/** Ends a run that goes on when the caller has sent what it wants. */
export class Wanted extends Paused {
  readonly want: Want

  constructor(want: Want) {
    super('the caller is asked for more')
    this.want = want
  }
}

/** Ends a run that was to find out only whether the caller may run the command. */
export class Admitted extends Paused {
  constructor() {
    super('the caller may run this command')
  }
}
