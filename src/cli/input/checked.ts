import type { Infer, Schema } from '../../platform/values/parse.ts'

/**
 * JSON checked against a schema of its area. Loads the schema library on first use. Throws `invalid` naming every wrong
 * key.
 */
export async function checked<S extends Schema>(schema: S, value: unknown): Promise<Infer<S>> {
  const { parseJson } = await import('../../platform/values/parse.ts')
  return parseJson(schema, value)
}
