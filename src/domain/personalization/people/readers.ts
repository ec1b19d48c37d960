import { compile } from '../compile.ts'
import type { LookUps } from '../request/parts.ts'
import type { Reading, Scope, Template } from '../types.ts'
import { languageOf } from './locales.ts'
import type { Person, PersonParts } from './people.repository.ts'

/** The name of the default content where languages are counted. */
export const DEFAULT_LANGUAGE = 'default'

/** A recipient, as far as the content reads something of them. */
export interface Reader {
  /** Undefined for an install that is gone. */
  person: Person | undefined
  /** Their part of the request's `userMeta`. */
  meta?: unknown
  /** Records by the name of the look-up. */
  lookup?: Readonly<Record<string, unknown>>
  app?: { name: string } | undefined
  /** Milliseconds. */
  now: number
}

/** The data of an app that texts read besides its people; each is asked only when a text needs it. */
export interface AppReads {
  /** Records of a data table by a text; see `lookUp` of the records service. */
  lookUp(
    appId: number,
    where: { alias: string; by: string; wanted: readonly string[] },
    texts: readonly string[],
  ): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>
  appName(appId: number): Promise<string>
  /** The attribute that holds a user's language; null when the app names none. */
  languageAttribute(appId: number): Promise<string | null>
}

/** A look-up that texts read. */
interface NeededLookUp {
  name: string
  table: string
  by: string
  value: Template
  /** The fields that texts read of its records. */
  fields: readonly string[]
}

/** The data that a content reads of its recipients: nothing else has to be read for it. */
export interface Needs {
  person: PersonParts
  meta: boolean
  app: boolean
  lookUps: readonly NeededLookUp[]
}

/** Tells whether anything is to be read of people. */
export const readsPeople = (parts: PersonParts) => Object.values(parts).some((wanted) => wanted)

/** Finds what these texts and look-ups read. Throws `TypeError` when the value of a look-up, which was judged before, cannot be compiled. */
export function needsOf(templates: readonly Template[], lookUps: LookUps, hasLanguages: boolean): Needs {
  const names = Object.keys(lookUps).filter((name) => templates.some(({ lookups }) => lookups.has(name)))
  const used = names.map((name) => {
    const { value, ...where } = lookUps[name]!
    const { template, problems } = compile(value, {})
    if (!template) throw new TypeError(`stored look-up cannot be compiled: ${problems[0]?.message}`)
    return { name, ...where, value: template, fields: lookUpFieldsOf(name, templates) }
  })
  const reads = new Set<Reading>([...templates, ...used.map(({ value }) => value)].flatMap((one) => [...one.reads]))
  return {
    person: {
      identifier: reads.has('user.identifier') || reads.has('meta'),
      attributes: reads.has('user.attributes'),
      locale: hasLanguages || reads.has('language'),
      install: reads.has('install') || reads.has('timezone'),
    },
    meta: reads.has('meta'),
    app: reads.has('app'),
    lookUps: used,
  }
}

/** The fields of a look-up's records that these texts read. */
export function lookUpFieldsOf(name: string, templates: readonly Template[]): string[] {
  const fields: string[] = []
  for (const { paths } of templates) {
    for (const path of paths) {
      const [root, of, field] = segmentsOf(path)
      if (root === 'lookup' && of === name && field !== undefined) fields.push(field)
    }
  }
  return [...new Set(fields)]
}

/** The first segments of a path, which may be written `a.b` and `a['b']`. */
function segmentsOf(path: string): string[] {
  return [...path.matchAll(/[^.[\]'"]+/g)].slice(0, 3).map(([segment]) => segment)
}

/**
 * The values for a recipient, as far as they are needed. `variant`: the language of what they get, where there are several. Made for
 * each recipient of a broadcast, so what no text reads is not even made.
 */
export function scopeOf(
  { person, meta, lookup, app, now }: Reader,
  variant: string | undefined,
  { install, locale }: PersonParts,
): Scope {
  const user = person
  if (!person || !(install || locale)) return { user, meta, lookup, app, now, language: variant }
  const own = languageOf(person.locale)
  const language = variant ?? own?.tag
  if (!install) return { user, meta, lookup, app, now, language }
  const { os, osVersion, appVersion, country, timezone } = person
  return {
    user,
    install: { os, osVersion, appVersion, locale: person.locale, language: own?.language, country, timezone },
    meta,
    lookup,
    app,
    now,
    timezone,
    language,
  }
}

/** Adds to each reader the records of the look-ups that texts read: for each look-up one read for the values of all readers. */
export async function joinLookUps(
  { lookUp }: Pick<AppReads, 'lookUp'>,
  appId: number,
  { lookUps, person }: Needs,
  readers: readonly Reader[],
): Promise<void> {
  for (const { name, table: alias, by, value, fields } of lookUps) {
    const texts = readers.map((reader) => valueFor(value, reader, person))
    const distinct = [...new Set(texts.filter((text) => text !== undefined))]
    const found = distinct.length === 0 ? undefined : await lookUp(appId, { alias, by, wanted: fields }, distinct)
    for (const [i, reader] of readers.entries()) {
      const text = texts[i]
      const record = text === undefined ? undefined : found?.get(text)
      if (record) reader.lookup = { ...reader.lookup, [name]: record }
    }
  }
}

/** The value of a look-up for a recipient; undefined when it is missing. */
function valueFor(value: Template, reader: Reader, parts: PersonParts): string | undefined {
  const { text, missing, tooLarge } = value.render(scopeOf(reader, undefined, parts))
  return tooLarge || missing.length > 0 || text === '' ? undefined : text
}
