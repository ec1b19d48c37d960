import { isPlainObject } from '../../../platform/json/json.ts'
import type { Finding } from '../../gateways/gateway.ts'
import type { LinkSettings } from '../types.ts'
import { appleAppIds } from './well-known.ts'

/** Checks the content of a served association document (pure). Another server may have made it. */

const SETTINGS = 'compare it with appsvc links settings --app APP; if a cache serves it, wait or clear the cache'

/** An `apple-app-site-association` of either form. */
export function judgeAppleDocument(document: unknown, settings: LinkSettings): Finding[] {
  const details = fieldOf(fieldOf(document, 'applinks'), 'details')
  if (!Array.isArray(details)) {
    return [error('has no applinks.details', 'docs/links.md describes its contents')]
  }
  const named = new Set(details.flatMap((one) => [...texts(fieldOf(one, 'appIDs')), ...texts([fieldOf(one, 'appID')])]))
  const wanted = appleAppIds(settings)
  const missing = wanted.filter((id) => !named.has(id))
  if (missing.length === 0) return [{ level: 'ok', what: `names ${wanted.join(', ')}` }]
  return missing.map((id) => error(`does not name ${id}${insteadOf(named)}`, SETTINGS))
}

/** An `assetlinks.json`. */
export function judgeGoogleDocument(document: unknown, settings: LinkSettings): Finding[] {
  if (!Array.isArray(document)) return [error('is not a list of statements', 'docs/links.md describes its contents')]
  const { androidPackage, androidSha256 } = settings
  const targets = document
    .filter((one) => texts(fieldOf(one, 'relation')).includes('delegate_permission/common.handle_all_urls'))
    .map((one) => fieldOf(one, 'target'))
  const packages = new Set(targets.flatMap((target) => texts([fieldOf(target, 'package_name')])))
  const mine = targets.filter((target) => fieldOf(target, 'package_name') === androidPackage)
  if (mine.length === 0) return [error(`does not name ${androidPackage}${insteadOf(packages)}`, SETTINGS)]
  const prints = new Set(mine.flatMap((target) => texts(fieldOf(target, 'sha256_cert_fingerprints'))))
  const missing = androidSha256.filter((print) => !prints.has(print))
  if (missing.length === 0)
    return [{ level: 'ok', what: `names ${androidPackage} with ${androidSha256.length} fingerprints` }]
  const inOtherCase = missing.filter((print) => [...prints].some((one) => one.toUpperCase() === print))
  if (inOtherCase.length > 0) {
    return [error('has fingerprints in lower case, and Android compares them as text', 'write them in upper case')]
  }
  return missing.map((print) => error(`does not have the fingerprint ${print}`, SETTINGS))
}

function fieldOf(value: unknown, name: string): unknown {
  return isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

function insteadOf(named: ReadonlySet<string>): string {
  return named.size === 0 ? '' : ` (but ${[...named].slice(0, 3).join(', ')})`
}

const error = (what: string, remedy: string): Finding => ({ level: 'error', what, remedy })
