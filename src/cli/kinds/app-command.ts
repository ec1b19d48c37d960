import type { Command, Interfaces } from '@oclif/core'
import type { AppRecord } from '../../domain/apps/types.ts'
import type { Program } from '../../program.ts'
import { findApp } from '../input/app.ts'
import type { Output } from '../output/output.ts'
import type { Io } from '../process/io.ts'
import { BaseCommand } from './base.ts'
import { type AppDeclaration, shownInput } from './named-app.ts'

export type ArgInput = Interfaces.ArgInput
export type FlagInput = Interfaces.FlagInput
/** The arguments or flags of a command that declares none. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type
export type None = Record<never, never>

/** The parsed command line. `A` and `F` are the declared arguments and flags. */
interface Given<A, F> {
  args: Interfaces.InferredArgs<A>
  flags: Interfaces.InferredFlags<F> & Interfaces.InferredFlags<typeof BaseCommand.baseFlags>
  io: Io
  out: Output
}

/** The argument of `work`: the command line, what `read` returned, and the opened program with the chosen app. */
export interface Job<A, F, I> extends Given<A, F> {
  input: I
  program: Program
  chosen: AppRecord
  /** `chosen.id` */
  appId: number
  /** Registers something to close when the command ends. */
  onEnd(release: () => Promise<void> | void): void
  /** Ends the command with this exit code. */
  exit(code: number): never
}

export interface AppCommandParts<A, F, I> {
  summary: string
  description?: string
  examples: string[]
  args?: A
  flags?: F
  /** See `AppDeclaration`. */
  subject?: boolean
  appLeads?: AppDeclaration['appLeads']
  /** Reads and checks files and flags. Runs before the database is opened, so that wrong input is reported first. */
  read?(given: Given<A, F>): I | Promise<I>
  work(job: Job<A, F, I>): Promise<void>
}

/**
 * A command that works in one app. It is named by `--app`, or by a word before the other arguments; with a single app it
 * need not be named (named-app.ts). A command declares it as the argument `app` or the flag `app`, or not at all. It runs
 * in this order: parse the command line, `read`, open the database, choose the app, `work`.
 */
export function appCommand<A extends ArgInput = None, F extends FlagInput = None, I = undefined>({
  read,
  work,
  subject,
  appLeads,
  ...statics
}: AppCommandParts<A, F, I>): Command.Class {
  const declared: AppDeclaration = { args: statics.args, flags: statics.flags, subject, appLeads }
  class AppCommand extends BaseCommand {
    async run(): Promise<void> {
      const { ref, ...parsed } = await this.parseWithApp(declared)
      // oclif cannot infer these from a class whose declarations are type parameters.
      const { args, flags } = parsed as unknown as Given<A, F>
      const given: Given<A, F> = { args, flags, io: this.io, out: this.out }
      // Wrong input is told before the database is opened; of somebody elsewhere nothing is read before the right is known.
      const admitted = await this.io.caller?.admit(ref)
      const input = (await read?.(given)) as I
      const program = await this.open(flags)
      const chosen = admitted ?? (await findApp(program, ref))
      await work({
        ...given,
        input,
        program,
        chosen,
        appId: chosen.id,
        onEnd: (release) => this.onEnd(release),
        exit: (code) => this.exit(code),
      })
    }
  }
  return Object.assign(AppCommand, statics, shownInput(declared))
}
