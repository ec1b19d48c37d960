import { BaseCommand } from '../kinds/base.ts'

const KEYS = {
  'server-key': 'server key',
  'own-app': 'server key',
  'device-key': 'secret key',
  'rest-key': 'REST key',
  'path-key': 'none',
  person: 'a person',
  nobody: 'none',
} as const

export class Routes extends BaseCommand {
  static override summary = 'List the routes of the HTTP interface'
  static override examples = ['appsvc routes', 'appsvc routes --json']

  async run(): Promise<void> {
    await this.parse(Routes)
    const { routes } = await import('../../server/routes.ts')
    const rows = routes.map(({ area, method, path, needs, scope, permission, right, summary }) => ({
      areas: [area].flat(),
      method: method.toUpperCase(),
      path,
      key: KEYS[needs],
      scope: scope ?? permission ?? right ?? null,
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
      'Each area is served below its prefix (/push/…), and but for admin at the root and on its host name if one is configured.',
    )
  }
}
