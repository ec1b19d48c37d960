import { BaseCommand } from '../kinds/base.ts'

const KEYS = {
  'server-key': 'server key',
  'own-app': 'server key',
  'device-key': 'secret key',
  'rest-key': 'REST key',
  'path-key': 'none',
} as const

export class Routes extends BaseCommand {
  static override summary = 'List every URL of the HTTP interface'
  static override examples = ['<%= config.bin %> routes', '<%= config.bin %> routes --json']

  async run(): Promise<void> {
    await this.parse(Routes)
    const { routes } = await import('../../server/routes.ts')
    const rows = routes.map(({ area, method, path, needs, scope, permission, summary }) => ({
      areas: [area].flat(),
      method: method.toUpperCase(),
      path,
      key: KEYS[needs],
      scope: scope ?? permission ?? null,
      summary,
    }))
    this.out.value(rows)
    this.out.table(
      ['AREA', 'METHOD', 'PATH', 'KEY', 'SCOPE', 'SUMMARY'],
      rows.map(({ areas, method, path, key, scope, summary }) => [areas.join(', '), method, path, key, scope, summary]),
      'no routes',
    )
    this.out.line()
    this.out.line(
      'Each area answers below its prefix (/push/…), at the root, and under its host name when one is configured.',
    )
  }
}
