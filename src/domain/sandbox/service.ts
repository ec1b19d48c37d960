import { randomUUID } from 'node:crypto'
import { AppError } from '../../platform/errors.ts'
import { isPlainObject } from '../../platform/json/json.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { ApnsFacts } from '../gateways/apns/credentials.ts'
import { type CheckedBlocks, checkBlocks, type GatewaysService } from '../gateways/service.ts'
import type { WebFacts } from '../gateways/web/key-ring.ts'
import type { SandboxClient } from './client.ts'
import { firstStart, MODELS, makeToken } from './phones.ts'
import { PHONE_PLATFORMS, type PhoneKind, type SandboxPhone } from './types.ts'

/** The user of the phones, when nobody names one. */
const USER = 'sandbox'
/** The bundle id of the sandbox's push certificate. */
const BUNDLE = 'com.example.app'

/** The push service of a phone that subscribes, in the words of the sandbox; a browser has the usual one. */
const serviceOf = (kind: PhoneKind) => (kind === 'unifiedpush' ? kind : undefined)

/** Rehearsing with a sandbox instead of the vendors: gateways that lead there, and phones that exist there only. */
export function sandboxService({
  url,
  client,
  gateways,
  clock,
}: {
  /** The setting `sandbox.url`; empty: this server has no sandbox. */
  url: string
  client: SandboxClient
  gateways: Pick<GatewaysService, 'find' | 'platforms'>
  clock: Clock
}) {
  function requireSandbox(): void {
    if (url !== '') return
    throw new AppError(
      'conflict',
      'this server has no sandbox: start it with appsvc serve --sandbox, or run appsvc sandbox and set what it prints',
    )
  }

  return {
    /** Address of the page that shows what arrived; undefined without a sandbox. */
    page: (): string | undefined => url || undefined,

    /**
     * The gateways that the app does not have yet, as the sandbox wants them. Asks the sandbox, so it belongs before a
     * transaction; `gateways.configure` stores them. Throws `conflict` without a sandbox, `unavailable` when it does not answer.
     */
    async gateways(appId: number): Promise<CheckedBlocks> {
      requireSandbox()
      const configured: readonly string[] = await gateways.platforms(appId)
      const offered = Object.entries(await client.blocks())
      const missing = offered.filter(([platform]) => !configured.includes(platform))
      return missing.length === 0 ? {} : checkBlocks(Object.fromEntries(missing), clock.now())
    },

    /**
     * A new phone, and the upload of its first start, which `events.ingest` takes. Asks the sandbox, so it belongs before a
     * transaction. Throws `conflict` without a sandbox or without the gateway that reaches the phone, and `unavailable`.
     */
    async phone(
      appId: number,
      { kind, userId = USER }: { kind: PhoneKind; userId?: string | undefined },
    ): Promise<{ phone: SandboxPhone; upload: readonly Record<string, unknown>[] }> {
      requireSandbox()
      const platform = PHONE_PLATFORMS[kind]
      const gateway = await gateways.find(appId, platform)
      if (!gateway)
        throw new AppError('conflict', `the app has no ${platform} gateway yet: use the sandbox for it first`)
      const { label, gateway: gatewayThere } = MODELS[kind]
      const name = `${label} of ${userId}`
      const installId = randomUUID()
      const subscribe = (service?: 'unifiedpush') => client.subscribe((gateway.facts as WebFacts).publicKey, service)
      const token = kind === 'iphone' || kind === 'android' ? makeToken(kind) : await subscribe(serviceOf(kind))
      await client.declare(isPlainObject(token) ? token.endpoint : token, { gateway: gatewayThere, name })
      const bundle = kind === 'iphone' ? ((gateway.facts as ApnsFacts).topic ?? BUNDLE) : BUNDLE
      const upload = firstStart(kind, { installId, userId, token, bundle, now: clock.now() })
      return { phone: { kind, platform, installId, userId, name }, upload }
    },
  }
}
