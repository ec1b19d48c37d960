import type { TestDevice } from '../../domain/crm/test-devices/repository.ts'
import { platformOf, platforms } from '../../domain/gateways/registry.ts'
import type { InAppEstimate } from '../../domain/in-app/accept/estimate.ts'
import type { Estimate } from '../../domain/notifications/accept/estimate.ts'
import type { Payload } from '../../domain/notifications/accept/payloads.ts'
import type { sendAgain } from '../../domain/notifications/request/again.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import { gatewayRequest, NAMED_IN_VAIN } from '../api/notifications.ts'
import {
  answerOf,
  boolean,
  count,
  free,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  string,
  time,
} from '../schema.ts'

/** Who would get a push, who would not and why, and when. */
export function presentEstimate(estimate: Estimate) {
  const { audience, recipients, isComplete, confirmAbove, platforms, leftOut, mayBeSkipped, sample, times } = estimate
  return {
    audience,
    recipients,
    isComplete,
    confirmAbove,
    platforms,
    leftOut,
    mayBeSkipped,
    sample,
    times: times.map(({ at, recipients, zones }) => ({ at: isoOffset(at), recipients, zones })),
  }
}

const platform = oneOf(platforms)

export const estimateAnswer = answerOf<typeof presentEstimate>('SendEstimate', {
  audience: count,
  recipients: count,
  isComplete: boolean,
  confirmAbove: nullable(count),
  platforms: list(object({ platform, recipients: count, configured: boolean }, 'EstimatedPlatform')),
  leftOut: list(
    object(
      {
        reason: oneOf([...NAMED_IN_VAIN, 'no_gateway', 'not_wanted', 'on_suppression_list', 'time_passed']),
        count,
      },
      'EstimatedLeftOut',
    ),
  ),
  mayBeSkipped: list(oneOf(['quiet_hours', 'frequency_cap'])),
  sample: list(
    object(
      {
        installId: string,
        userId: nullable(string),
        platform,
        deviceModel: nullable(string),
        locale: nullable(string),
        timezone: nullable(string),
      },
      'SampleRecipient',
    ),
  ),
  times: list(object({ at: time, recipients: count, zones: list(nullable(string)) }, 'EstimatedTime')),
})

/** Who would get an in-app message, who would not and why. */
export function presentInAppEstimate(estimate: InAppEstimate) {
  const { audience, recipients, isComplete, confirmAbove, leftOut, sample } = estimate
  return { audience, recipients, isComplete, confirmAbove, leftOut, sample }
}

export const inAppEstimateAnswer = answerOf<typeof presentInAppEstimate>('InAppEstimate', {
  audience: count,
  recipients: count,
  isComplete: boolean,
  confirmAbove: nullable(count),
  leftOut: list(
    object(
      {
        reason: oneOf([...NAMED_IN_VAIN, 'not_wanted', 'on_suppression_list']),
        count,
      },
      'InAppLeftOut',
    ),
  ),
  sample: list(string),
})

/** What each kind of gateway would be sent. */
export function presentPayloads(payloads: readonly Payload[]) {
  return { items: payloads.map(({ platform, configured, request }) => ({ platform, configured, request })) }
}

export const payloadsAnswer = answerOf<typeof presentPayloads>('Payloads', {
  items: list(object({ platform, configured: boolean, request: gatewayRequest }, 'Payload')),
})

/** A device that people send tests to. */
export function presentTestDevice(device: TestDevice) {
  const { id, name, installId, userId, platform: type, subscribed, deviceModel, deviceName, createdAt } = device
  return {
    id,
    name,
    installId,
    userId,
    platform: (type === null ? undefined : platformOf(type)) ?? null,
    subscribed,
    deviceModel,
    deviceName,
    created: isoOffset(createdAt),
  }
}

export const testDevice = answerOf<typeof presentTestDevice>('TestDevice', {
  id: integer,
  name: string,
  installId: string,
  userId: nullable(string),
  platform: nullable(platform),
  subscribed: boolean,
  deviceModel: nullable(string),
  deviceName: nullable(string),
  created: time,
})
export const testDevices = object({ items: list(testDevice) }, 'TestDevices')

/** What `sendAgain` makes: the body of a send. */
export const sendRequest = answerOf<typeof sendAgain>('SendRequest', {
  target: free,
  content: free,
  collapseId: optional(string),
  runBackgroundHandler: optional({ const: true }),
  ios: optional(free),
  android: optional(free),
  buttons: optional(list(free)),
  reportingMeta: optional(free),
  userMeta: optional(free),
  ttl: optional(count),
  rateLimit: optional(count),
  purpose: optional(string),
  priority: optional({ const: 'transactional' }),
})
