import { isoOffset } from '../../../platform/time/clock.ts'
import { appFlag, textArg } from '../../input/args.ts'
import { typedId } from '../../input/typed-id.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { shortTime } from '../../output/present.ts'

export const SchedulesPreview = appCommand({
  summary: 'Show when a scheduled notification would be sent, and to how many installs, as of now',
  examples: ['appsvc schedules preview 12', 'appsvc schedules preview 12 --json'],
  args: { id: textArg({ required: true, description: 'notification id' }) },
  flags: { app: appFlag },
  read: ({ args }) => typedId(args.id, 'a notification'),
  async work({ program, appId, input: id, out }) {
    const [{ previewInstants }, { countUnknownZones }, { unknownZonesInWords }] = await Promise.all([
      import('../../../domain/notifications/accept/preview.ts'),
      import('../../../domain/notifications/report/report.ts'),
      import('../../output/notification-words.ts'),
    ])
    const { timezone } = program.kernel.config
    const instants = await previewInstants(program, appId, id, timezone)
    const stateOf = ({ kind, state }: (typeof instants)[number]) => (kind === 'skip' ? 'passed' : state)
    const unknownZones = countUnknownZones(instants)
    out.value({
      id,
      instants: instants.map((one) => {
        const { at, zones, installs } = one
        return { at: isoOffset(at), state: stateOf(one), installs, zones }
      }),
      unknownZones,
    })
    out.table(
      ['DUE', 'STATE', 'INSTALLS', 'ZONES'],
      instants.map((one) => {
        const zones = one.zones?.map((zone) => zone ?? 'not known') ?? ['all']
        const shown = zones.length > 4 ? [...zones.slice(0, 4), `and ${zones.length - 4} more`] : zones
        return [shortTime(one.at), stateOf(one), one.installs ?? '-', shown.join(', ')]
      }),
      'As of now, no one would get it.',
    )
    if (unknownZones > 0) out.note(`unknown zones: ${unknownZonesInWords(unknownZones, timezone)}`)
  },
})
