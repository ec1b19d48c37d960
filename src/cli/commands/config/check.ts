import { BaseCommand } from '../../kinds/base.ts'

export class ConfigCheck extends BaseCommand {
  static override summary = 'Check the settings without starting anything; exit code 78 names what is wrong'
  static override examples = [
    '<%= config.bin %> config check',
    '<%= config.bin %> config check --config /etc/appsvc.yaml',
  ]

  async run(): Promise<void> {
    const { flags } = await this.parse(ConfigCheck)
    const { config, sources, file } = await this.settings(flags)
    const { gatewaySettings } = await import('../../../domain/gateways/configure/settings.ts')
    gatewaySettings(config)
    const changed = Object.entries(sources)
      .filter(([, source]) => source !== 'default')
      .map(([name]) => name)
    this.out.value({ ok: true, file: file ?? null, changed })
    this.out.line(
      `The settings are right (${file ? `file ${file}` : 'no file'}; ${changed.length} differ from the defaults).`,
    )
  }
}
