import { basename } from 'node:path'
import { invalid } from '../../platform/errors.ts'
import { isStorable } from '../../platform/json/json.ts'
import { cleanPicture } from '../../platform/pictures/clean.ts'
import { type CleanPicture, PictureProblem } from '../../platform/pictures/types.ts'
import { flag, integer, shape } from '../../platform/values/parse.ts'

/** Query of lists: `after` is the `next` of the previous page. */
export const picturesPage = shape({
  used: flag(),
  after: integer({ min: 1 }),
  limit: integer({ min: 1, max: 200 }).default(50),
})

/** Query of a deletion. */
export const pictureDeletion = shape({ force: flag().default(false) })

const MAX_NAME = 255

/** A checked picture with its name. */
export interface NewPicture {
  name: string
  picture: CleanPicture
}

/** Reads an uploaded file. Throws `invalid` that names `file`. */
export function readPicture(fileName: string, bytes: Buffer): NewPicture {
  const name = nameOf(fileName)
  if (!isStorable(name)) throw invalid({ file: ['has a name that cannot be stored: rename it'] })
  try {
    return { name, picture: cleanPicture(bytes) }
  } catch (error) {
    if (error instanceof PictureProblem) throw invalid({ file: [error.message] })
    throw error
  }
}

/** The name of a file without folders, and without what follows 255 characters. */
function nameOf(fileName: string): string {
  const name = basename(fileName.replaceAll('\\', '/')).trim()
  return [...name].slice(0, MAX_NAME).join('') || 'picture'
}
