import { appFlag, chooseApp } from '../../input/app.ts'
import { typedId } from '../../input/typed-id.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

export class SchedulesPreview extends BaseCommand {
  static override summary = 'Show who gets a scheduled notification when, as things are now'
  static override examples = ['<%= config.bin %> schedules preview 12', '<%= config.bin %> schedules preview 12 --json']
  static override args = { id: textArg({ required: true, description: 'id of the notification' }) }
  static override flags = { app: appFlag }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SchedulesPreview)
    const [{ previewInstants }, { countUnknownZones }, { isoOffset }, { shortTime }, words] = await Promise.all([
      import('../../../domain/notifications/accept/preview.ts'),
      import('../../../domain/notifications/report/report.ts'),
      import('../../../platform/clock.ts'),
      import('../../output/present.ts'),
      import('../../output/notification-words.ts'),
    ])
    const id = typedId(args.id, 'a notification')
    const app = await this.open(flags)
    const found = await chooseApp(app, flags.app)
    const instants = await previewInstants(app, found.id, id, app.kernel.config.timezone)
    const stateOf = ({ kind, state }: (typeof instants)[number]) => (kind === 'skip' ? 'passed' : state)
    const unknownZones = countUnknownZones(instants)
    this.out.value({
      id,
      instants: instants.map((one) => {
        const { at, zones, installs } = one
        return { at: isoOffset(at), state: stateOf(one), installs, zones }
      }),
      unknownZones,
    })
    this.out.table(
      ['DUE', 'STATE', 'INSTALLS', 'ZONES'],
      instants.map((one) => {
        const zones = one.zones?.map((zone) => zone ?? 'not known') ?? ['all']
        const shown = zones.length > 4 ? [...zones.slice(0, 4), `and ${zones.length - 4} more`] : zones
        return [shortTime(one.at), stateOf(one), one.installs ?? '-', shown.join(', ')]
      }),
      'Nobody gets it, as things are now.',
    )
    if (unknownZones > 0) {
      this.out.note(`unknown zones: ${words.unknownZonesInWords(unknownZones, app.kernel.config.timezone)}`)
    }
  }
}
