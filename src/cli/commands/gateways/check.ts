import type { Finding } from '../../../domain/gateways/gateway.ts'
import { platformArg } from '../../credentials.ts'
import { chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

const MARKS = { ok: ['green', 'ok'], warning: ['yellow', 'warning'], error: ['red', 'error'] } as const

export class GatewaysCheck extends BaseCommand {
  static override summary = 'Connect to the configured push gateways and say what is wrong; sends nothing to anybody'
  static override description = 'Exit code 78 when something is wrong.'
  static override examples = ['<%= config.bin %> gateways check 1', '<%= config.bin %> gateways check 1 android --json']
  static override args = {
    app: textArg({ description: 'id or name of the app' }),
    platform: platformArg('only this one', false),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(GatewaysCheck)
    const app = await this.open(flags)
    const found = await chooseApp(app, args.app)
    const configs = (await app.gateways.list(found.id)).filter(
      ({ platform }) => !args.platform || platform === args.platform,
    )
    const [{ gatewaySettings }, { createSenders }] = await Promise.all([
      import('../../../domain/gateways/configure/settings.ts'),
      import('../../../domain/gateways/send/senders.ts'),
    ])
    const senders = createSenders(app.gateways, gatewaySettings(app.kernel.config), () => app.kernel.clock.now())
    this.onEnd(() => senders.close())

    const findings: (Finding & { platform: string })[] = []
    if (configs.length === 0) {
      const what = `app ${found.id} has no ${args.platform ?? 'push'} gateway`
      findings.push({
        platform: args.platform ?? '',
        level: 'error',
        what,
        remedy: 'configure one with appsvc gateways set',
      })
    }
    for (const { platform } of configs) {
      const sender = await senders.find(found.id, platform)
      if (!sender) findings.push({ platform, level: 'error', what: 'nothing can be sent with what is configured' })
      else findings.push(...(await sender.probe()).map((finding) => ({ platform, ...finding })))
    }
    this.out.value({ findings })
    for (const { platform, level, what, remedy } of findings) {
      const [style, word] = MARKS[level]
      this.out.line(`${this.out.paint(style, word.padEnd(7))}  ${platform.padEnd(7)}  ${printable(what)}`)
      if (remedy) this.out.line(`${' '.repeat(18)}${this.out.paint('dim', printable(remedy))}`)
    }
    if (findings.some(({ level }) => level === 'error')) this.exit(78)
  }
}
