/**
 * A patch without numbers of lines, so that it fits as long as the lines around its places are there:
 *
 *     --- src/domain/channels/types.ts
 *        meta: Record<string, unknown> | null
 *     +  color: string | null
 *
 * `@@` stands between two places of a file. A file of nothing but new lines is made. `NNNN` is the number of the next migration.
 */

/** A place: lines to find, each with its mark (` `, `+` or `-`). */
type Place = readonly string[]

export interface Patch {
  /** The places to change, by path. */
  files: ReadonlyMap<string, readonly Place[]>
}

const HEAD = '--- '
const BETWEEN = '@@'

/** Reads the text of a patch. Throws a sentence when a line has no mark. */
export function readPatch(text: string): Patch {
  const files = new Map<string, string[][]>()
  let places: string[][] = []
  for (const line of text.replace(/\n$/, '').split('\n')) {
    if (line.startsWith(HEAD)) files.set(line.slice(HEAD.length), (places = [[]]))
    else if (line === BETWEEN) places.push([])
    else if (/^([ +-]|$)/.test(line) && places.length > 0) places.at(-1)!.push(line === '' ? ' ' : line)
    else throw new Error(`"${line}" of a patch begins with none of "${HEAD}", "${BETWEEN}", " ", "+" and "-"`)
  }
  return { files }
}

/** Tells whether the patch makes this file. */
export const isNew = (places: readonly Place[]) => places.flat().every((line) => line.startsWith('+'))

/** The text of a file after the patch; `before` is undefined where there is none. Throws a sentence when a place is not there, or twice. */
export function patched(file: string, before: string | undefined, places: readonly Place[]): string {
  const without = (mark: string) => (place: Place) =>
    place.filter((line) => !line.startsWith(mark)).map((line) => line.slice(1))
  if (isNew(places)) {
    if (before !== undefined) throw new Error(`${file} is there already`)
    return `${places.flatMap(without('-')).join('\n')}\n`
  }
  if (before === undefined) throw new Error(`${file} is not there`)
  let lines = before.split('\n')
  for (const place of places) {
    const old = without('+')(place)
    const at = lines.flatMap((_, i) => (old.every((line, j) => lines[i + j] === line) ? [i] : []))
    if (at.length !== 1) {
      throw new Error(
        `${file} has these lines ${at.length === 0 ? 'nowhere' : `${at.length} times`}:\n${old.join('\n')}`,
      )
    }
    lines = lines.toSpliced(at[0]!, old.length, ...without('-')(place))
  }
  return lines.join('\n')
}
