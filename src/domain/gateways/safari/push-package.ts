import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import yazl from 'yazl'
import type { IconSet } from './icons.ts'
import type { SignDetached } from './signature.ts'

/** `v1`: OS X 10.9 to 10.11, whose manifest has SHA-1. `v2`: macOS 10.12 and later. */
export const PACKAGE_VERSIONS = ['v1', 'v2'] as const
export type PackageVersion = (typeof PACKAGE_VERSIONS)[number]

/** `website.json` ("The Website JSON", Notification Programming Guide for Websites). */
export interface WebsiteDocument {
  websiteName: string
  websitePushID: string
  allowedDomains: string[]
  urlFormatString: string
  authenticationToken: string
  webServiceURL: string
}

/**
 * The signed zip with which Safari asks for permission. `now` in ms. Takes some milliseconds, most of them outside the
 * event loop.
 */
export async function buildPushPackage(
  { website, icons, version }: { website: WebsiteDocument; icons: IconSet; version: PackageVersion },
  sign: SignDetached,
  now: number,
): Promise<Buffer> {
  const files = new Map([['website.json', Buffer.from(JSON.stringify(website))], ...icons.files])
  const manifest = Buffer.from(JSON.stringify(manifestOf(files, version)))
  files.set('manifest.json', manifest)
  files.set('signature', await sign(manifest, now))
  return zip(files, now)
}

/** File name -> its hash, in the form of the version. */
export function manifestOf(files: ReadonlyMap<string, Buffer>, version: PackageVersion): Record<string, unknown> {
  const hash = (algorithm: string, bytes: Buffer) => createHash(algorithm).update(bytes).digest('hex')
  return Object.fromEntries(
    [...files].map(([name, bytes]) => [
      name,
      version === 'v1' ? hash('sha1', bytes) : { hashType: 'sha512', hashValue: hash('sha512', bytes) },
    ]),
  )
}

async function zip(files: ReadonlyMap<string, Buffer>, now: number): Promise<Buffer> {
  const archive = new yazl.ZipFile()
  // Compression would not help: pictures and signatures do not shrink, and the rest is short.
  for (const [name, bytes] of files) archive.addBuffer(bytes, name, { mtime: new Date(now), compress: false })
  archive.end()
  return buffer(archive.outputStream as Readable)
}
