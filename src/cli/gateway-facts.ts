import type { CredentialFacts, Platform } from '../domain/gateways/gateway.ts'
import { shortTime } from './output/present.ts'

/** Facts whose name says too little to people, and what a page or an app does with them. */
const LABELS: Partial<Record<Platform, Record<string, string>>> = {
  web: { publicKey: 'VAPID public key', iconUrl: 'icon' },
  safari: { websitePushId: 'website push id', siteUrl: 'site', iconUrl: 'icon', websiteName: 'name' },
  android: { projectId: 'project', clientEmail: 'account', privateKeyId: 'key id' },
  hcm: { appId: 'app id' },
}

/** What `gateways show` prints of a gateway: name -> text. Never a secret, for facts hold none. */
export function describeFacts(platform: Platform, facts: CredentialFacts): Record<string, string> {
  const { warnings: _, notAfter, ...others } = facts
  const known = Object.entries(others).filter(([, value]) => value !== undefined && value !== null)
  return {
    ...Object.fromEntries(known.map(([name, value]) => [LABELS[platform]?.[name] ?? name, textOf(value)])),
    ...(notAfter !== undefined && { 'valid until': shortTime(notAfter) }),
  }
}

function textOf(value: unknown): string {
  if (!Array.isArray(value)) return String(value)
  return value
    .map((one: unknown) => (isKey(one) ? `${one.id} (since ${shortTime(one.createdAt)})` : String(one)))
    .join(', ')
}

function isKey(value: unknown): value is { id: string; createdAt: number } {
  return typeof value === 'object' && value !== null && 'id' in value && 'createdAt' in value
}
