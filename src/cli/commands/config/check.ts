import { BaseCommand } from '../../kinds/base.ts'

export class ConfigCheck extends BaseCommand {
  static override summary = 'Check the settings without starting anything; exits with 78 if they are invalid'
  static override examples = ['appsvc config check', 'appsvc config check --config /etc/appsvc.yaml']

  async run(): Promise<void> {
    const { flags } = await this.parse(ConfigCheck)
    const { config, sources, file } = await this.settings(flags)
    const { gatewaySettings } = await import('../../../domain/gateways/settings.ts')
    gatewaySettings(config)
    const changed = Object.entries(sources)
      .filter(([, source]) => source !== 'default')
      .map(([name]) => name)
    this.out.value({ ok: true, file: file ?? null, changed })
    this.out.line(
      `The settings are valid (${file ? `file ${file}` : 'no file'}; ${changed.length} differ from the defaults).`,
    )
  }
}
