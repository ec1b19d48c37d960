import type { Command } from '@oclif/core'
import type { Areas } from '../../program.ts'
import { yesFlag } from '../input/args.ts'
import { type AppCommandParts, type ArgInput, appCommand, type Job, type None } from './app-command.ts'

/** A thing that is about to be deleted. */
interface Doomed {
  /** The thing and what goes with it, for the question: `Delete ${what}?` */
  what: string
  /** The JSON answer. */
  json: object
  /** The sentence printed afterwards. */
  done: string
  remove(tx: Areas): Promise<unknown>
}

interface DeleteParts<A> extends Omit<AppCommandParts<A, None, undefined>, 'flags' | 'read' | 'work'> {
  find(job: Job<A, { yes: typeof yesFlag }, undefined>): Promise<Doomed>
}

/** A command that deletes one thing of an app, after asking (`--yes` skips the question). */
export function deleteCommand<A extends ArgInput>({ find, ...parts }: DeleteParts<A>): Command.Class {
  return appCommand<A, { yes: typeof yesFlag }>({
    ...parts,
    flags: { yes: yesFlag },
    async work(job) {
      const { what, json, done, remove } = await find(job)
      await job.out.confirm(`Delete ${what}?`, job.flags.yes)
      await job.program.inTransaction(remove)
      job.out.value(json)
      job.out.line(done)
    },
  })
}
