import { probeInTime } from '../../domain/gateways/probe-app.ts'
import { findGateway, type Platform, platforms } from '../../domain/gateways/registry.ts'
import { checkBlocks } from '../../domain/gateways/service.ts'
import { gatewaySettings } from '../../domain/gateways/settings.ts'
import { fromMessagesForm, messagesForm } from '../../domain/notifications/schema.ts'
import { SOURCE } from '../../domain/notifications/types.ts'
import { phoneForm, tryPushForm } from '../../domain/sandbox/schema.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { parseJson } from '../../platform/values/parse.ts'
import {
  gatewayFindings,
  gatewayGuide,
  gatewayStates,
  presentFinding,
  presentGateway,
  presentGatewayGuide,
  presentPhone,
  presentRecognised,
  recognisedCredentials,
  rehearsing,
  sandboxPhone,
  triedPush,
} from '../../present/admin/gateways.ts'
import { blocksBody, platformSegment } from '../api/gateways.ts'
import { INSTALL } from '../openapi/words/admin-gateways.ts'
import { type Call, get, post, type Route } from '../routing/route.ts'

const OPERATE = { area: 'admin', needs: 'person', right: 'operate' } as const
const UNKNOWN = { 404: 'There is no such app, or it has no such gateway' }
const WITHOUT_SANDBOX = {
  409: 'This server has no sandbox, or the app lacks the gateway',
  503: 'The sandbox does not answer',
}
/** A test that waits longer than this is not worth getting, in seconds. */
const TEST_TTL = 600

/** Routes that the screens of gateways need besides the twins of routes for servers. */
export const gatewayScreenRoutes: readonly Route[] = [
  get('/v1/apps/:appId/gateway-states', {
    ...OPERATE,
    right: 'see',
    summary: 'List all gateways with their state, also those that are not configured',
    description: 'Facts are what was read from the credential; secrets are never among them.',
    returns: gatewayStates,
    run: async (call) => ({
      items: (await shownGateways(call, platforms)).map(presentGateway),
      sandbox: call.tx.sandbox.page() ?? null,
    }),
  }),
  get('/v1/apps/:appId/gateways/:platform', {
    ...OPERATE,
    right: 'see',
    summary: 'Read the state of a gateway, and how to get its credential',
    description: 'The steps to get the credential, and the fields of the block that `PUT …/gateways` takes.',
    also: { 404: 'There is no such platform' },
    returns: gatewayGuide,
    run: async (call) => {
      const [shown] = await shownGateways(call, [platformSegment(call.params.platform!)])
      return presentGatewayGuide(shown!)
    },
  }),
  post('/v1/apps/:appId/gateways/recognise', {
    ...OPERATE,
    summary: 'Say what gateway credentials are, without storing them',
    description: 'Takes the body of `PUT …/gateways` and checks it in the same way. Nothing is stored.',
    takes: 'GatewayBlocks',
    sends: { web: { iconUrl: 'https://example.com/icon.png' } },
    body: blocksBody,
    transaction: false,
    reads: true,
    returns: recognisedCredentials,
    run: async ({ program, body }) => {
      const checked = await checkBlocks(body, program.kernel.clock.now())
      return {
        items: Object.entries(checked).map(([platform, one]) => presentRecognised(platform as Platform, one)),
      }
    },
  }),
  post('/v1/apps/:appId/gateways/:platform/check', {
    ...OPERATE,
    summary: 'Connect to the vendor and have it check the credential; sends nothing',
    description:
      'Findings tell the problem and its remedy. What has not answered after 30 seconds is reported as such.',
    also: UNKNOWN,
    // The vendor may take long.
    transaction: false,
    reads: true,
    returns: gatewayFindings,
    run: async ({ program, appId, params }) => {
      const platform = platformSegment(params.platform!)
      if (!(await program.gateways.find(appId, platform)))
        throw new AppError('not_found', `app ${appId} has no ${platform} gateway`)
      const { config, clock } = program.kernel
      const parts = { gateways: program.gateways, settings: gatewaySettings(config), now: () => clock.now() }
      return { findings: (await probeInTime(parts, appId, platform)).map(presentFinding) }
    },
  }),
  post('/v1/apps/:appId/push-tries', {
    ...OPERATE,
    summary: 'Send a push to one install or user, to see whether a gateway delivers',
    description:
      'A notification of its own that lives for ten minutes. `GET …/notifications/{id}` tells what became of it.',
    takes: 'TryPush',
    sends: { to: INSTALL },
    audit: 'push-tries.create',
    body: tryPushForm,
    status: 202,
    wakes: true,
    returns: triedPush,
    async run({ tx, appId, body: { to, title = 'Test', message = 'It works.' }, note }) {
      const form = {
        target: { installIds: [to], userIds: [to] },
        content: { title, message },
        ttl: TEST_TTL,
        isTest: true,
      }
      const { notification } = await tx.sends.accept(
        appId,
        SOURCE.console,
        fromMessagesForm(parseJson(messagesForm, form)),
      )
      if (!notification) {
        throw invalid({
          to: ['is neither an install nor a user who can be reached: it must have allowed notifications'],
        })
      }
      note({ target: String(notification.id) })
      return { notification: notification.id }
    },
  }),
  post('/v1/apps/:appId/sandbox', {
    ...OPERATE,
    summary: 'Let every gateway that is not configured lead to the sandbox',
    description:
      'Works where the setting `sandbox.url` names a running sandbox. Gateways that are configured stay as they are.',
    audit: 'gateways.rehearse',
    also: WITHOUT_SANDBOX,
    // The sandbox is asked first.
    transaction: false,
    wakes: true,
    returns: rehearsing,
    async run({ program, appId, note }) {
      const blocks = await program.sandbox.gateways(appId)
      const added = Object.keys(blocks)
      if (added.length > 0) await program.inTransaction((tx) => tx.gateways.configure(appId, blocks))
      note({ after: { platforms: added } })
      return { platforms: added }
    },
  }),
  post('/v1/apps/:appId/sandbox/phones', {
    ...OPERATE,
    summary: 'Register a phone that exists in the sandbox only',
    description: 'The server gets what the SDK of such a phone reports on its first start.',
    takes: 'NewSandboxPhone',
    sends: { kind: 'iphone', userId: 'anna' },
    audit: 'sandbox.phones.create',
    body: phoneForm,
    status: 201,
    also: WITHOUT_SANDBOX,
    transaction: false,
    returns: sandboxPhone,
    async run({ program, appId, body, note }) {
      const { phone, upload } = await program.sandbox.phone(appId, body)
      await program.inTransaction((tx) => tx.events.ingest(appId, phone.installId, upload))
      note({ target: phone.name })
      return presentPhone(phone)
    },
  }),
]

async function shownGateways(
  { tx, program, appId }: Pick<Call<unknown, unknown>, 'tx' | 'program' | 'appId'>,
  wanted: readonly Platform[],
) {
  const [configs, lanes] = await Promise.all([tx.gateways.list(appId), tx.gateways.lanes.list(appId)])
  const now = program.kernel.clock.now()
  return Promise.all(
    wanted.map(async (platform) => ({
      platform,
      guide: await findGateway(platform).guide(),
      config: configs.find((one) => one.platform === platform),
      lane: lanes.find((one) => one.platform === platform),
      now,
    })),
  )
}
