import type { FieldErrors } from '../../../platform/errors.ts'
import { compile } from '../compile.ts'
import type { LookUps } from '../request/parts.ts'
import type { Template, TemplateContext } from '../types.ts'
import { lookUpFieldsOf } from './readers.ts'

/** Judges a look-up against the tables of an app; see `judgeLookUp` of the records service. */
export type JudgeLookUp = (
  appId: number,
  lookUp: { alias: string; by: string; wanted: readonly string[] },
) => Promise<{ at: 'table' | 'by' | 'wanted'; why: string } | undefined>

/** Judges the look-ups of a request whose texts are `templates`. Returns the problems by path. `context`: what their values may read. */
export async function judgeLookUps(
  judgeLookUp: JudgeLookUp,
  appId: number,
  lookUps: LookUps,
  templates: readonly Template[],
  context: Pick<TemplateContext, 'meta'> = {},
): Promise<FieldErrors> {
  const errors: FieldErrors = {}
  for (const [name, { table, by, value }] of Object.entries(lookUps)) {
    const { problems } = compile(value, context)
    if (problems) errors[`lookup.${name}.value`] = problems.map(({ message }) => message)
    const found = await judgeLookUp(appId, { alias: table, by, wanted: lookUpFieldsOf(name, templates) })
    if (found) errors[`lookup.${name}${found.at === 'wanted' ? '' : `.${found.at}`}`] = [found.why]
  }
  return errors
}
