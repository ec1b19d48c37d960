/** Ways to treat a recipient for whom a value is missing: nothing is sent, or nothing is printed in its place. */
export const WHEN_MISSING = ['skip', 'empty'] as const
type WhenMissing = (typeof WHEN_MISSING)[number]

/** The way in which the texts of a message are personalised. */
export interface Personalize {
  missing: WhenMissing
}

/** A record of a data table that is joined to a message: the first whose field `by` has the value. */
interface LookUp {
  /** The alias of the table. */
  table: string
  by: string
  /** Template text. */
  value: string
}

/** Look-ups by the name under which texts read them: `lookup.NAME`. */
export type LookUps = Readonly<Record<string, LookUp>>
