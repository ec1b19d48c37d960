import type { App } from '../../app.ts'

/** A file that the command writes on the caller's machine. */
interface CallerFile {
  /** What stood behind the position is gone. Resolves when the caller can take more. */
  put(position: number, bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}

/**
 * Somebody on another machine, for whom this server runs a command (docs/decisions/0055-commands-from-another-machine.md).
 * What the command needs of that machine and does not have ends the run with `Wanted`; the caller sends the same command line
 * again with it. So every command wants all that before it changes anything.
 */
export interface Caller {
  /** The program of the server. */
  app: App
  /** Throws `usage` or `forbidden` unless the caller may run this command somewhere. */
  begin(id: string): void
  /** Aborted when the caller is gone. */
  signal: AbortSignal
  /** Whether the caller may know that there is this app. */
  sees(appId: number): boolean
  /** Throws `forbidden` unless the caller may run this command in this app. */
  admit(appId: number): void
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

/** What the caller is asked for. */
export type Want = { file: string } | { output: string; mode: number } | { answer: string }

/** Ends a run that goes on when the caller has sent what it wants. */
export class Wanted extends Error {
  readonly want: Want

  constructor(want: Want) {
    super('the caller is asked for more')
    this.want = want
  }
}
