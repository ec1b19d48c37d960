import { Flags } from '@oclif/core'
import type { App } from '../../app.ts'
import type { AppRecord } from '../../domain/apps/types.ts'
import { AppError } from '../../platform/errors.ts'

/** `--app` of every command that works inside one app. */
export const appFlag = Flags.string({
  char: 'a',
  helpValue: 'APP',
  description: 'id or name of the app; not needed while there is only one',
})

/**
 * The app that a person means: by id, by exact name, or the only one there is. Throws `not_found` when there is none of that
 * id or name, `usage` when it is not clear which one.
 */
export async function chooseApp(app: App, ref: string | undefined): Promise<AppRecord> {
  if (ref !== undefined && /^[1-9]\d{0,14}$/.test(ref)) return app.apps.get(Number(ref))
  const all = await app.apps.list()
  const found = ref === undefined ? all : all.filter((one) => one.name === ref)
  if (found.length === 1) return found[0]!
  if (ref !== undefined && found.length > 1) {
    throw new AppError(
      'usage',
      `${found.length} apps are called ${JSON.stringify(ref)}: name one by its id (${idsOf(found)})`,
    )
  }
  if (ref !== undefined)
    throw new AppError('not_found', `there is no app ${JSON.stringify(ref)}: appsvc apps list shows them`)
  if (all.length === 0) throw new AppError('not_found', 'there is no app yet: appsvc apps create NAME makes one')
  throw new AppError('usage', `there are ${all.length} apps: say which one is meant (appsvc apps list shows them)`)
}

function idsOf(apps: AppRecord[]): string {
  const shown = apps.slice(0, 5).map((one) => one.id)
  return `${shown.join(', ')}${apps.length > shown.length ? ', …' : ''}`
}
