import type { Field } from './words.ts'

const MAX_FILE = 256 * 1024

/** Reads a dropped file as the field wants it. Throws an `Error` with a sentence for people. */
export async function readFile(file: File, { kind }: Pick<Field, 'kind'>): Promise<string> {
  if (file.size > MAX_FILE)
    throw new Error(`${file.name} is too large for a credential: take the file that the vendor gave you.`)
  if (file.size === 0) throw new Error(`${file.name} is empty.`)
  const bytes = new Uint8Array(await file.arrayBuffer())
  const text = new TextDecoder().decode(bytes)
  if (kind === 'text-file') {
    if (!/^\s*-----BEGIN PRIVATE KEY-----/.test(text))
      throw new Error(`${file.name} holds no key: take AuthKey_….p8, as it was downloaded.`)
    return text
  }
  // What is text already, such as a certificate in PEM, goes as it is.
  if (kind === 'binary-file') {
    if (/^(?!\s*\{)[^]*-----BEGIN/.test(text)) return text
    // DER, of which a .p12 is made, begins with a sequence.
    if (bytes[0] !== 0x30)
      throw new Error(`${file.name} is no certificate: take the file that the vendor or Keychain gave you.`)
    return base64(bytes)
  }
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
