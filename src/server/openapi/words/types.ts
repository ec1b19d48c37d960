/**
 * Words of the document for parameters and the bodies that operations take; each area has a file in `words/`. The meaning of the
 * fields of answers stands with their forms in `src/present`, and the words of an operation at its route.
 */
export interface Words {
  /** Bodies by title; the example is only needed where the members' own do not make a good one. */
  schemas?: Record<string, readonly [description: string, example?: unknown]>
  /** Fields of bodies by their whole path, `NewChannel.name`: `of` says the same of several bodies. */
  fields?: Record<string, readonly [description: string, example?: unknown]>
  /** `path.appId` wherever a parameter has that name, or `/v1/webhooks/:id.path.id` where it means something else. */
  parameters?: Record<string, readonly [description: string, example?: unknown]>
}

/** The same words for the same members of several schemas. */
export function of(schemas: readonly string[], members: NonNullable<Words['fields']>): NonNullable<Words['fields']> {
  const entries = schemas.flatMap((schema) =>
    Object.entries(members).map(([name, words]) => [`${schema}.${name}`, words] as const),
  )
  return Object.fromEntries(entries)
}
