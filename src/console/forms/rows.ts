import type { Option } from '../parts/field.tsx'
import { type Field, type For, type Group, type Kind, listOf, type Values, type Ways } from './table.ts'

/** The rows of forms, by the kind of their field. */

/** Places in a body, with dots and at most three names: `ios.media.pictureUrl`. */
type PlaceIn<T, Deep extends unknown[] = []> = T extends readonly unknown[]
  ? never
  : T extends object
    ? {
        [K in keyof T & string]: Deep['length'] extends 2
          ? K
          : K | `${K}.${PlaceIn<NonNullable<T[K]>, [...Deep, unknown]>}`
      }[keyof T & string]
    : never
type RowsIn<P extends string> = readonly (Field<string, P> | { look: Group['look']; label: string; rows: RowsIn<P> })[]

/** The rows of a form whose fields stand in the body `B`: a place that the interface does not know does not compile. */
export const table =
  <B>() =>
  <const R extends RowsIn<PlaceIn<B>>>(...rows: R): R & For<B> =>
    rows

function kindOf<T>(kind: Kind, usual: Ways<T> = {}) {
  return <const A extends string, const P extends string = A>(
    at: A,
    label: string,
    ways: Ways<T> & { path?: P | '' } = {},
  ): Field<A, P, T> => ({ kind, at, path: at as unknown as P, label, ...usual, ...ways })
}

export const text = kindOf<string>('text')
export const area = kindOf<string>('area', { isAsTyped: true })
export const password = kindOf<string>('password', { isAsTyped: true })
/** A password that somebody chooses. */
export const newPassword = (label: string, need: string) =>
  password('password', label, {
    autoComplete: 'new-password',
    hint: 'At least 15 characters: four or five words are good.',
    need,
  })
export const number = kindOf<number | null>('number')
export const color = kindOf<string>('color', { isAsTyped: true })
/** The address of a picture. */
export const picture = kindOf<string>('picture')
export const select = kindOf<string>('select')
export const radio = kindOf<string>('radio')
/** Any of a few, all in sight. */
export const ticks = kindOf<readonly string[]>('ticks')
/** Any of a few, or of very many. */
export const many = kindOf<readonly string[]>('many')
export const tick = kindOf<boolean>('tick')
/** The consent to a name that another app has, as far as `isTaken` knows; until it is given, the server refuses such a name. */
export const duplicate = (isTaken: (values: Values) => boolean) =>
  [
    tick('allowDuplicate', 'Another app has this name: use it all the same', {
      when: isTaken,
      check: (isFine) => (isFine ? undefined : 'Tick it, or choose another name.'),
      flag: 'allow-duplicate',
    }),
    own('noDuplicate', false, { path: 'allowDuplicate', when: (values) => !isTaken(values) }),
  ] as const
export const toggle = kindOf<boolean>('switch')
export const json = kindOf<unknown>('json', { first: {} })
/** A point in time. */
export const instant = kindOf<string | null>('instant')
/** A field of a kind of its own, which the page draws. */
export const drawn = kindOf<unknown>('own', { first: undefined, isOptional: true })
/** A value that the page draws, or nobody. */
export const own = <T, const A extends string = string, const P extends string = A>(
  at: A,
  first: T,
  ways: Ways<T> & { path?: P | '' } = {},
): Field<A, P, T> => kindOf<T>('own', { first })(at, '', ways)

/** The body that the interface gave, which `bodyOver` takes. Nobody sees it; it is a value so that drafts keep it. */
export const stored = own('stored', {}, { path: '', from: (_, body) => body })

const joined = (between: string) => (value: unknown) => (value as readonly unknown[] | null | undefined)?.join(between)
/** A list, one a line. */
export const lines = kindOf<string>('area', { isMono: true, to: (value) => listOf(value), from: joined('\n') })
/** A list in one line, with commas. */
export const list = kindOf<string>('text', { to: (value) => listOf(value, /,/), from: joined(', ') })

/** Options of a choice from labels by value: `{ now: 'At once' }`. An object would put numbers into another order. */
export const choices = (labels: Readonly<Record<string, string>>): Option[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))

const group =
  (look: Group['look']) =>
  <const R extends readonly unknown[]>(label: string, rows: R, when?: (values: Values) => boolean) => ({
    look,
    label,
    rows,
    ...(when && { when }),
  })
/** Folded in, until a field of it holds something. */
export const more = group('more')
/** A box with a legend. */
export const part = group('part')
/** Rows beside each other, where there is room. */
export const halves = <const R extends readonly unknown[]>(...rows: R) => group('halves')('', rows)
/** Fields in one line. */
export const inLine = <const R extends readonly unknown[]>(...rows: R) => group('row')('', rows)
/** Fields that are there under one condition. */
export const where = <const R extends readonly unknown[]>(when: (values: Values) => boolean, ...rows: R) =>
  group('plain')('', rows, when)
