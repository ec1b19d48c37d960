import { type AppRecord, idsOf } from '../../domain/apps/types.ts'
import { AppError } from '../../platform/errors.ts'
import { suggest } from '../../platform/text/suggest.ts'
import type { Program } from '../../program.ts'

/**
 * The app named by id or exact name; without either, the only app. Throws `not_found` if no app has that id or name,
 * `usage` if several apps match. Apps that are not seen are as if there were none.
 */
export async function findApp(
  tx: Pick<Program, 'apps'>,
  ref: string | undefined,
  sees: (appId: number) => boolean = () => true,
): Promise<AppRecord> {
  if (ref !== undefined && /^[1-9]\d{0,14}$/.test(ref)) {
    const id = Number(ref)
    if (sees(id)) return tx.apps.get(id)
    // As if there were none.
    throw new AppError('not_found', `there is no app ${id}: appsvc apps list shows them`)
  }
  const all = (await tx.apps.list()).filter(({ id }) => sees(id))
  const found = ref === undefined ? all : all.filter((one) => one.name === ref)
  if (found.length === 1) return found[0]!
  if (ref !== undefined && found.length > 1) {
    throw new AppError(
      'usage',
      `${found.length} apps are named ${JSON.stringify(ref)}: use an id instead (${idsOf(found)})`,
    )
  }
  if (ref !== undefined) {
    const near = nearTo(ref, all)
    const hint = near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`
    throw new AppError('not_found', `there is no app ${JSON.stringify(ref)}${hint} (appsvc apps list)`)
  }
  if (all.length === 0)
    throw new AppError('not_found', 'there are no apps yet: create one with appsvc apps create NAME')
  throw new AppError('usage', `there are ${all.length} apps: name one with --app (appsvc apps list)`)
}

/** The name of an app that was probably meant, whatever its capitals; undefined when none is near. */
function nearTo(ref: string, apps: readonly AppRecord[]): string | undefined {
  const names = new Map(apps.map(({ name }) => [name.toLowerCase(), name]))
  return names.get(suggest(ref.toLowerCase(), [...names.keys()]) ?? '')
}
