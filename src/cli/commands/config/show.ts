import { Flags } from '@oclif/core'
import { BaseCommand } from '../../kinds/base.ts'

export class ConfigShow extends BaseCommand {
  static override summary = 'Show the effective settings and the source of each; secrets are masked'
  static override examples = ['appsvc config show', 'appsvc config show --defaults > appsvc.yaml']
  static override flags = {
    defaults: Flags.boolean({ description: 'print every setting with its default and its explanation, as YAML' }),
    markdown: Flags.boolean({ dependsOn: ['defaults'], description: 'print the defaults as a page in Markdown' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(ConfigShow)
    const { defaultYaml, SETTINGS, settingsPage } = await import('../../../config.ts')
    if (flags.defaults) {
      this.out.value(Object.fromEntries(Object.entries(SETTINGS).map(([name, setting]) => [name, setting.default])))
      this.out.line((flags.markdown ? settingsPage() : defaultYaml()).trimEnd())
      return
    }
    const { config, sources, file } = await this.settings(flags)
    const { masked } = await import('../../../platform/config/masked.ts')
    const rows = Object.entries(config).map(([name, value]) => ({
      name,
      value: masked(value),
      source: sources[name as keyof typeof sources],
    }))
    this.out.value(Object.fromEntries(rows.map(({ name, value, source }) => [name, { value, source }])))
    this.out.table(
      ['SETTING', 'VALUE', 'FROM'],
      rows.map(({ name, value, source }) => [
        name,
        value === '' ? '' : String(value),
        source === 'file' ? file : source,
      ]),
      '',
    )
  }
}
