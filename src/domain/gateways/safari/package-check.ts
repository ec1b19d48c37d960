import { X509Certificate } from 'node:crypto'
import { crc32, inflateRawSync } from 'node:zlib'
import { messageOf } from '../../../platform/errors.ts'
import { readObject } from '../../../platform/json/json.ts'
import { Asn1Error } from '../apns/asn1.ts'
import { readPushCertificate } from '../apns/certificate.ts'
import { SAFARI } from './limits.ts'
import { PictureError, sizeOfPng } from './picture.ts'
import { manifestOf, type PackageVersion } from './push-package.ts'
import { verifyDetached } from './signature.ts'

/**
 * Checks a finished push package as macOS does, which never says what is wrong. Returns one sentence for each fault;
 * none means that the package is sound. Does not check whether the certificate leads to Apple's root. `now` in ms.
 */
export function inspectPackage(
  bytes: Buffer,
  { websitePushId, version, now }: { websitePushId: string; version: PackageVersion; now: number },
): string[] {
  let files: Map<string, Buffer>
  try {
    files = readZip(bytes)
  } catch (error) {
    return [`the package is not a zip file: ${messageOf(error)}`]
  }
  return [
    ...inspectNames(files),
    ...inspectIcons(files),
    ...inspectWebsite(files.get('website.json'), websitePushId),
    ...inspectManifest(files, version),
    ...inspectSignature(files, websitePushId, now),
  ]
}

const ENTRY = 0x02014b50
const LOCAL = 0x04034b50
const END = 0x06054b50
/** Our packages are far smaller. */
const MAX_FILE_BYTES = 8 << 20

/** The files of a zip (stored or deflated), read from the central directory. Throws if it is not a zip. */
export function readZip(bytes: Buffer): Map<string, Buffer> {
  let end = bytes.length - 22
  while (end >= 0 && bytes.readUInt32LE(end) !== END) end--
  if (end < 0) throw new Error('it has no directory')
  const files = new Map<string, Buffer>()
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    if (bytes.readUInt32LE(at) !== ENTRY) throw new Error('its directory is damaged')
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28)
    const name = bytes.toString('utf8', at + 46, nameEnd)
    if (files.has(name)) throw new Error(`it has ${name} twice`)
    const content = readEntry(bytes, at)
    if (crc32(content) !== bytes.readUInt32LE(at + 16)) throw new Error(`${name} is damaged`)
    files.set(name, content)
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return files
}

function readEntry(bytes: Buffer, at: number): Buffer {
  const local = bytes.readUInt32LE(at + 42)
  if (bytes.readUInt32LE(local) !== LOCAL) throw new Error('a file is not where the directory says')
  const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
  const packed = bytes.subarray(start, start + bytes.readUInt32LE(at + 20))
  return bytes.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed, { maxOutputLength: MAX_FILE_BYTES })
}

const ICONS = Object.keys(SAFARI.icons)
const NAMES = ['website.json', 'manifest.json', 'signature', ...ICONS]

function inspectNames(files: ReadonlyMap<string, Buffer>): string[] {
  const missing = NAMES.filter((name) => !files.has(name)).map((name) => `the package has no ${name}`)
  const foreign = [...files.keys()].filter((name) => !NAMES.includes(name))
  return [...missing, ...foreign.map((name) => `the package contains ${name}, which does not belong there`)]
}

function inspectIcons(files: ReadonlyMap<string, Buffer>): string[] {
  return Object.entries(SAFARI.icons).flatMap(([name, side]) => {
    const bytes = files.get(name)
    if (!bytes) return []
    try {
      const { width, height } = sizeOfPng(bytes)
      return width === side && height === side ? [] : [`${name} has ${width} × ${height} pixels instead of ${side}`]
    } catch (error) {
      if (error instanceof PictureError) return [`${name} ${error.message}`]
      throw error
    }
  })
}

function inspectWebsite(bytes: Buffer | undefined, websitePushId: string): string[] {
  if (!bytes) return []
  const website = readObject(bytes.toString('utf8'))
  if (!website) return ['website.json is not a JSON object']
  const { websiteName, websitePushID, allowedDomains, urlFormatString, authenticationToken, webServiceURL } = website
  const faults: string[] = []
  if (typeof websiteName !== 'string' || websiteName === '') faults.push('websiteName is missing')
  if (websitePushID !== websitePushId) faults.push(`websitePushID is not ${websitePushId}, as the certificate says`)
  const format = typeof urlFormatString === 'string' ? urlFormatString : ''
  const holes = format.split('%@').length - 1
  if (holes !== 1) faults.push(`urlFormatString has ${holes} placeholders instead of one`)
  const origin = originOf(format)
  if (!origin || !Array.isArray(allowedDomains) || !allowedDomains.includes(origin)) {
    faults.push('urlFormatString is outside allowedDomains')
  }
  if (typeof authenticationToken !== 'string' || authenticationToken.length < SAFARI.tokenCharacters) {
    faults.push(`authenticationToken has fewer than ${SAFARI.tokenCharacters} characters`)
  }
  if (typeof webServiceURL !== 'string' || !originOf(webServiceURL)?.startsWith('https:')) {
    faults.push('webServiceURL is not an https address')
  } else if (webServiceURL.endsWith('/')) faults.push('webServiceURL ends with a slash')
  return faults
}

function originOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).origin : undefined
}

function inspectManifest(files: ReadonlyMap<string, Buffer>, version: PackageVersion): string[] {
  const bytes = files.get('manifest.json')
  if (!bytes) return []
  const manifest = readObject(bytes.toString('utf8'))
  if (!manifest) return ['manifest.json is not a JSON object']
  const listed = new Map([...files].filter(([name]) => name !== 'manifest.json' && name !== 'signature'))
  const wanted = manifestOf(listed, version)
  const wrong = Object.keys(wanted).filter((name) => JSON.stringify(manifest[name]) !== JSON.stringify(wanted[name]))
  const foreign = Object.keys(manifest).filter((name) => !Object.hasOwn(wanted, name))
  return [
    ...wrong.map((name) => `manifest.json does not have the ${version} hash of ${name}`),
    ...foreign.map((name) => `manifest.json names ${name}, which is not there`),
  ]
}

function inspectSignature(files: ReadonlyMap<string, Buffer>, websitePushId: string, now: number): string[] {
  const signature = files.get('signature')
  const manifest = files.get('manifest.json')
  if (!signature || !manifest) return []
  try {
    const { signer, certificates } = verifyDetached(signature, manifest)
    const faults: string[] = []
    if (readPushCertificate(signer).userId !== websitePushId) {
      faults.push(`the certificate of the signature is not for ${websitePushId}`)
    }
    if (!isValid(signer, now)) faults.push('the certificate of the signature is not valid now')
    const issuer = certificates.find((one) => signer.checkIssued(one) && signer.verify(one.publicKey))
    if (!issuer) faults.push('the signature does not contain the certificate of the issuer')
    else if (!isValid(issuer, now)) faults.push('the certificate of the issuer is not valid now')
    return faults
  } catch (error) {
    if (error instanceof Asn1Error) return [`the signature does not verify: ${error.message}`]
    throw error
  }
}

function isValid(certificate: X509Certificate, now: number): boolean {
  return certificate.validFromDate.getTime() <= now && now < certificate.validToDate.getTime()
}
