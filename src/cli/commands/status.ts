import { BaseCommand } from '../kinds/base.ts'

export class Status extends BaseCommand {
  static override summary =
    'Show the state of the server, its faults, its lanes, its open notifications and who reads the event log'
  static override examples = ['appsvc status', 'appsvc status --json']

  async run(): Promise<void> {
    const { flags } = await this.parse(Status)
    const program = await this.open(flags)
    const { lookAt } = await import('../status/look.ts')
    const { presentStatus } = await import('../status/json.ts')
    const { printStatus } = await import('../status/print.ts')
    const status = await lookAt(program)
    this.out.value(presentStatus(status))
    printStatus(this.out, status)
  }
}
