import { Flags } from '@oclif/core'
import { LOAD_PERIODS, type LoadPeriod } from '../../domain/load/types.ts'
import { BaseCommand } from '../kinds/base.ts'

export class Load extends BaseCommand {
  static override summary = 'Show the load of the server over time: calls, pushes, errors, queue, processor, sizes'
  static override description =
    'Counts are of the whole span, which begins at the time of the row; queue, memory and sizes are the worst of it. Minutes are kept for two ' +
    'days, hours for 31 days.'
  static override examples = ['appsvc load', 'appsvc load --period month --json']
  static override flags = {
    period: Flags.string({
      options: Object.keys(LOAD_PERIODS),
      default: 'hour',
      helpValue: 'PERIOD',
      description: 'how far to look back',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Load)
    const program = await this.open(flags)
    const [{ presentLoadCourse }, { shortTime }, { sizeOf }] = await Promise.all([
      import('../../present/admin/load.ts'),
      import('../output/present.ts'),
      import('../../platform/text/size.ts'),
    ])
    const course = await program.load.course(flags.period as LoadPeriod)
    this.out.value(presentLoadCourse(course))
    this.out.table(
      [
        'FROM',
        'SERVER CALLS',
        'DEVICE CALLS',
        'ERRORS',
        'ACCEPTED',
        'FAILED',
        'QUEUE',
        'PROCESSOR',
        'DATABASE',
        'FREE SPACE',
      ],
      course.points.map((point) => [
        shortTime(point.at),
        point.serverCalls,
        point.deviceCalls,
        point.errors,
        point.accepted,
        point.failed,
        `${Math.round(point.queueMs / 1000)} s`,
        point.cpuRoomMs === 0 ? '' : `${Math.round((100 * point.cpuMs) / point.cpuRoomMs)} %`,
        sizeOf(point.databaseBytes),
        point.diskFreeBytes === null ? '' : sizeOf(point.diskFreeBytes),
      ]),
      'Nothing is known of this period: a server that runs stores its load once a minute.',
    )
  }
}
