import { Flags, type Interfaces } from '@oclif/core'
import type { Examination } from '../../doctor/examine.ts'
import type { Repair } from '../../doctor/repair.ts'
import type { OpenedSubject } from '../../doctor/subject.ts'
import { exitOf, verdictOf } from '../../doctor/verdict.ts'
import type { Config } from '../../platform/config/settings.ts'
import { isAppError } from '../../platform/errors.ts'
import { findApp } from '../input/app.ts'
import { appFlag, yesFlag } from '../input/args.ts'
import { asTheServer, BaseCommand } from '../kinds/base.ts'
import { printExamination } from '../output/examination.ts'

/** The words of a line that may name an app, from which oclif cannot infer them. */
type DoctorLine = {
  flags: Interfaces.InferredFlags<typeof Doctor.flags> & Interfaces.InferredFlags<typeof BaseCommand.baseFlags>
}

export class Doctor extends BaseCommand {
  static override summary =
    'Examine machine, settings, database, sending and connections; say what is wrong and what to do'
  static override description =
    'Works beside a running server, whose settings it reads, and without one, also when the database is damaged or does not answer. Exits with 78 if there is an ' +
    'error; warnings alone exit with 0. --fix repairs what is safe (file modes, leftover files, a long write-ahead log) and asks before ' +
    'anything else. Live checks connect to gateways and to your own host names; they send nothing to devices.'
  static override examples = ['appsvc doctor', 'appsvc doctor --offline --json', 'appsvc doctor --fix']
  static override flags = {
    app: { ...appFlag, description: 'only what belongs to this app (id or name)' },
    fix: Flags.boolean({ description: 'repair what is safe to repair, then examine' }),
    offline: Flags.boolean({ description: 'do not connect to other machines' }),
    yes: yesFlag,
  }

  async run(): Promise<void> {
    const { ref, ...parsed } = await this.parseWithApp({ flags: Doctor.flags })
    const flags = { ...(parsed as unknown as DoctorLine).flags, app: ref }
    const loaded = await this.settings(flags).catch((failure: unknown) => {
      if (isAppError(failure) && failure.code === 'config') return failure.message
      throw failure
    })
    if (typeof loaded === 'string') return this.#report(wrongSettings(loaded), [])
    const config = await asTheServer(loaded.config)

    const [{ examine }, { CHECKS }] = await Promise.all([
      import('../../doctor/examine.ts'),
      import('../../doctor/checks.ts'),
    ])
    const open = async () => ({ ...(await this.#open(config, flags.app)), ofServer: config !== loaded.config })
    let subject = await open()
    let repairs: Repair[] = []
    if (flags.fix) {
      const { repair } = await import('../../doctor/repair.ts')
      repairs = await repair(subject, CHECKS, (question) => this.#agrees(question, flags.yes))
      if (repairs.length > 0) {
        await subject.close()
        subject = await open()
      }
    }
    this.onEnd(() => subject.close())
    this.#report(await examine(subject, CHECKS, { offline: flags.offline }), repairs)
  }

  async #open(config: Config, app: string | undefined): Promise<OpenedSubject> {
    const { openSubject } = await import('../../doctor/subject.ts')
    const subject = await openSubject({ config, log: await this.openLog() })
    const { storage } = subject
    if (app === undefined || storage.state !== 'open' || !storage.program) return subject
    try {
      return { ...subject, appId: (await findApp(storage.program, app)).id }
    } catch (failure) {
      await subject.close()
      throw failure
    }
  }

  /** Asks the person. Without a terminal the answer is no, unless `--yes` was given. */
  async #agrees(question: string, yes: boolean): Promise<boolean> {
    return yes || /^y(es)?$/i.test((await this.out.ask(`${question} [y/N] `)) ?? '')
  }

  #report({ findings, leftOut }: Examination, repairs: readonly Repair[]): void {
    const verdict = verdictOf(findings)
    this.out.value({ ...verdict, findings, leftOut, repairs })
    printExamination(this.out, { findings, leftOut }, repairs)
    if (!verdict.ok) this.exit(exitOf(verdict))
  }
}

/** The finding for settings that cannot be read. Without settings there is nothing to examine. */
function wrongSettings(message: string): Examination {
  const remedy = 'correct what it names, then appsvc doctor again; appsvc config show --defaults lists every setting'
  return {
    findings: [{ check: 'settings', group: 'machine', level: 'error', what: message, remedy }],
    leftOut: [{ check: 'all others', why: 'the settings cannot be read' }],
  }
}
