import type { CheckedCredential } from '../../src/domain/gateways/gateway.ts'
import type { Platform } from '../../src/domain/gateways/registry.ts'
import type { TestProgram } from './program.ts'

/** A credential of which nobody needs the secret, because a script sends. `facts`: what was read of it. */
export const credential = (facts: object = {}): CheckedCredential => ({
  secret: {},
  facts: { warnings: [], ...facts },
  sendable: true,
})

/** Gives the first app a gateway with such a credential. */
export const addGateway = (
  { program, first }: Pick<TestProgram, 'program' | 'first'>,
  platform: Platform = 'android',
  facts?: object,
): Promise<void> => program.inTransaction((tx) => tx.gateways.configure(first.id, { [platform]: credential(facts) }))
