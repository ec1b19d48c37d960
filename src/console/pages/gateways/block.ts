import type { Field } from './words.ts'

const MAX_FILE = 256 * 1024

/** Reads a dropped file as the field wants it. Throws an `Error` with a sentence for people. */
export async function readFile(file: File, { kind }: Pick<Field, 'kind'>): Promise<string> {
  if (file.size > MAX_FILE)
    throw new Error(`${file.name} is too large for a credential: take the file that the vendor gave you.`)
  if (file.size === 0) throw new Error(`${file.name} is empty.`)
  const bytes = new Uint8Array(await file.arrayBuffer())
  const text = new TextDecoder().decode(bytes)
  if (kind === 'text-file') return text
  // What is text already, such as a certificate in PEM, goes as it is.
  if (kind === 'binary-file') return text.includes('-----BEGIN') ? text : base64(bytes)
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('no object')
    return JSON.stringify(
      Object.fromEntries(Object.entries(value).map(([name, one]) => [camelCase(name), one as unknown])),
    )
  } catch {
    throw new Error(`${file.name} is not a JSON file: take the file that you downloaded from the vendor.`)
  }
}

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

function base64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}
