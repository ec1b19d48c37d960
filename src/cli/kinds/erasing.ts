import type { Command } from '@oclif/core'
import { Flags } from '@oclif/core'
import type { Erasure, ErasureKind } from '../../domain/erasures/types.ts'
import type { Program } from '../../program.ts'
import { appFlag, textArg, yesFlag } from '../input/args.ts'
import { printable } from '../output/output.ts'
import { appCommand } from './app-command.ts'

/** The time (ms) to wait before the next attempt, for a page that is being sent or a file that is being read. */
const PAUSE_MS = 200
/** Attempts before the command says what it waits for. */
const ROUNDS = 10

/** A command that puts a user or an install on the erasure list. */
export function eraseCommand(
  kind: ErasureKind,
  parts: { summary: string; description: string; examples: string[] },
): Command.Class {
  return appCommand({
    ...parts,
    args: { name: textArg({ required: true, description: kind === 'user' ? 'user identifier' : 'install id' }) },
    flags: {
      app: appFlag,
      yes: yesFlag,
      wait: Flags.boolean({ description: 'do the work here, and return when nothing is left' }),
    },
    async work({ program, appId, args: { name }, flags, out }) {
      const { presentErasure } = await import('../../present/api/crm.ts')
      await out.confirm(`Erase ${kind} ${printable(name)} and everything that is stored about it for good?`, flags.yes)
      let erasure = await program.inTransaction((tx) => tx.erasures.request(appId, kind, name))
      if (flags.wait) {
        const wait = () =>
          out.note('waiting for a page that is being sent, or for a subscriber file that is being read')
        erasure = await finish(program, erasure, wait)
      }
      out.value(presentErasure(erasure))
      if (erasure.state === 'done') {
        const unknown =
          erasure.found === false ? `There was no ${kind} ${printable(name)}; what named it is erased.` : undefined
        return out.line(unknown ?? `The ${kind} ${printable(name)} is erased.`)
      }
      out.line(
        `The ${kind} ${printable(name)} is on the erasure list (${erasure.id}); a running server erases it within seconds.`,
      )
    },
  })
}

/** Runs erasures until this one is done. Other open erasures of the server are run with it. */
async function finish(program: Program, { appId, id }: Erasure, onWait: () => void): Promise<Erasure> {
  const [{ runErasures }, { erasuresFile }] = await Promise.all([
    import('../../domain/erasures/run.ts'),
    import('../../domain/erasures/list-file.ts'),
  ])
  const { inTransaction } = program
  const { clock, db, config } = program.kernel
  for (let rounds = 1; ; rounds++) {
    await runErasures({ program, inTransaction, clock, db, file: erasuresFile(config.dataDir) })
    const erasure = await program.erasures.get(appId, id)
    if (erasure.state === 'done') return erasure
    if (rounds === ROUNDS) onWait()
    await clock.sleep(PAUSE_MS)
  }
}
