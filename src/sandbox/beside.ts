import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../platform/config/settings.ts'
import type { Sandbox } from './types.ts'

/** The settings with which a server sends to a sandbox, as flags. */
export type SandboxSettings = Sandbox['settings'] & { 'gateways.caFile': string }

/**
 * The settings of a sandbox added to those of the operator: the sandbox's origins join the private ones that the operator allows, and
 * its authority joins the operator's (a file in `dir`, the folder of the sandbox). Throws when the operator's file cannot be read.
 */
export function settingsBeside(
  config: Pick<Config, 'outbound.allowPrivate' | 'gateways.caFile'>,
  { settings }: Pick<Sandbox, 'settings'>,
  dir: string,
): SandboxSettings {
  const allowed = config['outbound.allowPrivate']
  const added = settings['outbound.allowPrivate']
  return {
    ...settings,
    'outbound.allowPrivate': typeof allowed === 'boolean' ? (allowed ? 'true' : added) : [...allowed, added].join(','),
    'gateways.caFile': authoritiesIn(dir, config['gateways.caFile']),
  }
}

function authoritiesIn(dir: string, ofOperator: string): string {
  const ofSandbox = join(dir, 'ca.pem')
  if (ofOperator === '') return ofSandbox
  const both = join(dir, 'authorities.pem')
  writeFileSync(both, `${readFileSync(ofOperator, 'utf8').trimEnd()}\n${readFileSync(ofSandbox, 'utf8')}`, {
    mode: 0o600,
  })
  return both
}
