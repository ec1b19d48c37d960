import { createPushPackages, type PushPackages } from '../../domain/gateways/safari/packages.ts'
import { PACKAGE_VERSIONS, type PackageVersion } from '../../domain/gateways/safari/push-package.ts'
import { gatewaySettings } from '../../domain/gateways/settings.ts'
import { documented, jsonObject } from '../../platform/values/parse.ts'
import { prefixOf } from '../limits/caller.ts'
import { limiterOf } from '../limits/for-program.ts'
import { onePerProgram } from '../limits/per-program.ts'
import type { RateLimiter } from '../limits/rate-limiter.ts'
import { Bytes, type Call, del, post, Reply, type Route } from '../routing/route.ts'

const DOOR = { area: 'push', needs: 'path-key', device: true, transaction: false } as const
const NO_GATEWAY = 'The app, or this service, is not configured for Safari'
const AUTHORIZED = 'The `Authorization` header holds the token of the push package, as Apple defines it.'
const REGISTRATION = {
  401: 'The Authorization header does not hold the token of a push package',
  404: 'Unknown API key or website push id',
  409: NO_GATEWAY,
  422: 'The device token is malformed',
}
const report = documented(jsonObject().required(), {
  properties: { logs: {} },
})

/**
 * Routes that Safari and macOS call below the web service address (docs/reference/device-protocol.md K3): Apple's protocol, the
 * same in both versions.
 */
export const safariRoutes: Route[] = PACKAGE_VERSIONS.flatMap(routesOf)

interface Memory {
  packages: PushPackages
  /** Limiters, both by address. A whole office may share one, and a person asks once in months. */
  making: RateLimiter
  logging: RateLimiter
}

const LIMITED = { code: 'unavailable' } as const

const memoryOf = onePerProgram((program): Memory => {
  const { gateways, kernel } = program
  const { config, vault, clock, log } = kernel
  const settings = gatewaySettings(config)
  return {
    packages: createPushPackages({ gateways, settings, vault, clock, log }),
    making: limiterOf(program, { ...LIMITED, name: 'push packages', burst: 300, everyMs: 200, what: 'push packages' }),
    logging: limiterOf(program, { ...LIMITED, name: 'Safari logs', burst: 100, everyMs: 1000, what: 'log entries' }),
  }
})

function routesOf(version: PackageVersion): Route[] {
  const registration = `/safari/:apiKey/${version}/devices/:deviceToken/registrations/:websitePushId`
  return [
    // The body, information from the web page, is not used and not read.
    post(`/safari/:apiKey/${version}/pushPackages/:websitePushId`, {
      ...DOOR,
      summary: `Get the push package of a website (Safari, ${version})`,
      description: 'Safari asks for it before it shows the prompt. The body is ignored.',
      produces: 'application/zip',
      also: { 404: 'Unknown API key or website push id', 409: NO_GATEWAY, 503: 'The icon cannot be fetched now' },
      run: async ({ program, appId, params, remote }) => {
        const { packages, making } = memoryOf(program)
        await making.ready(prefixOf(remote), program.kernel.clock.monotonic())
        making.take(prefixOf(remote), program.kernel.clock.monotonic())
        const bytes = await packages.make(appId, params.apiKey!, params.websitePushId!, version)
        return new Reply(200, new Bytes(bytes, 'application/zip'), { 'Cache-Control': 'no-store' })
      },
    }),
    post(registration, {
      ...DOOR,
      summary: `Report that notifications of a website are allowed (Safari, ${version})`,
      description: AUTHORIZED,
      bodyless: true,
      also: REGISTRATION,
      run: (call) => setPermission(call, true),
    }),
    del(registration, {
      ...DOOR,
      summary: `Report that notifications of a website are no longer allowed (Safari, ${version})`,
      description: AUTHORIZED,
      bodyless: true,
      also: REGISTRATION,
      run: (call) => setPermission(call, false),
    }),
    post(`/safari/:apiKey/${version}/log`, {
      ...DOOR,
      summary: `Receive Safari's log of push packages (${version})`,
      description: 'The lines go to the log of the service.',
      takes: 'SafariLog',
      sends: { logs: ['Missing file in push package'] },
      body: report,
      bodyLimit: 'limits.body',
      bodyless: true,
      run: async ({ program, appId, body, remote }) => {
        const { logging } = memoryOf(program)
        await logging.ready(prefixOf(remote), program.kernel.clock.monotonic())
        for (const said of readLines(body)) {
          logging.take(prefixOf(remote), program.kernel.clock.monotonic())
          program.kernel.log.info({ appId, said }, 'Safari reports a fault')
        }
      },
    }),
  ]
}

/** The install registers itself with the same token, by `k.push.deviceRegistered`. */
async function setPermission(
  { program, appId, params, header }: Pick<Call<unknown, unknown>, 'program' | 'appId' | 'params' | 'header'>,
  allowed: boolean,
): Promise<void> {
  const { deviceToken, websitePushId } = params
  await memoryOf(program).packages.authorize(appId, websitePushId!, header('authorization'))
  await program.inTransaction((tx) => tx.crm.setSafariPermission(appId, deviceToken!, allowed))
}

const MAX_LINES = 20
const MAX_LINE_LENGTH = 500

/** The lines, shortened because anyone can send them; control characters, which could redraw a terminal, are escaped. */
function readLines({ logs }: Record<string, unknown>): string[] {
  const lines: unknown[] = Array.isArray(logs) ? logs.slice(0, MAX_LINES) : [logs]
  return lines
    .filter((line) => typeof line === 'string')
    .map((line) => line.slice(0, MAX_LINE_LENGTH).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escapeCharacter))
}

function escapeCharacter(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`
}
