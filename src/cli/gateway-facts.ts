import type { CredentialFacts } from '../domain/gateways/gateway.ts'
import { findGateway, type Platform } from '../domain/gateways/registry.ts'
import { shortTime } from './output/present.ts'

/** The lines that `gateways show` prints of a gateway: name -> text. Never a secret, for facts hold none. */
export function describeFacts(platform: Platform, facts: CredentialFacts): Record<string, string> {
  const labels = findGateway(platform).commandLine.factLabels
  const { warnings: _, notAfter, ...others } = facts
  const known = Object.entries(others).filter(([, value]) => value !== undefined && value !== null)
  return {
    ...Object.fromEntries(known.map(([name, value]) => [labels?.[name] ?? name, textOf(value)])),
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
