import type { Restraint } from '../../apps/types.ts'
import { confirmationFor, type Guard } from '../../audience/confirmation.ts'
import type { LookedUpPush } from '../../audience/target.ts'
import type { Target } from '../../audience/types.ts'
import type { PlatformCounts } from '../../audience/walk/install-walk.ts'
import type { RefusalsRepository } from '../../consent/refusals.repository.ts'
import type { ConsentOfSend } from '../../consent/types.ts'
import type { PushPreview } from '../../gateways/gateway.ts'
import type { Platform } from '../../gateways/registry.ts'
import { LONG_ID, type Previewer } from '../request/content-size.ts'
import type { StoredContent } from '../types.ts'
import { type LeftOutReason, namedAndLeftOut, type SkippingRule } from './left-out.ts'

/** A request that was checked and could be sent: the parts that `accept` would store. */
export interface JudgedRequest extends LookedUpPush {
  content: StoredContent
  consent: ConsentOfSend
  /** The time at which vendors stop trying if it is sent now (ms); 0: they try once. */
  expiresAt: number
}

/** The recipients of a send, and the requests for their gateways. */
export interface SendPreview {
  /** Installs in the audience, including those without a gateway. */
  recipients: number
  /** False when the time to count was over: there are more. */
  isComplete: boolean
  /** The lowest `confirm` with which it can be sent; null when none is needed. */
  confirm: number | null
  gateways: {
    platform: Platform
    recipients: number
    /** True when the app has a gateway that can send to this platform. */
    configured: boolean
    request: PushPreview | null
  }[]
  leftOut: { reason: LeftOutReason; count: number }[]
  mayBeSkipped: SkippingRule[]
}

export interface SendPreviewParts {
  guard: Pick<Guard<Target>, 'confirmAbove'>
  previewers: readonly Previewer[]
  /** Platforms whose gateway can send. */
  sendable(appId: number): Promise<Platform[]>
  restraint(appId: number): Promise<Pick<Restraint, 'quiet' | 'cap'>>
  consentRules: RefusalsRepository['rulesOf']
}

/** Makes the function that names the rules by which recipients of a send may be skipped. */
export function createSkipping({ restraint, consentRules }: Pick<SendPreviewParts, 'restraint' | 'consentRules'>) {
  return async (appId: number, consent: ConsentOfSend): Promise<SkippingRule[]> => {
    const found: SkippingRule[] = []
    if (!consent.transactional) {
      const { quiet, cap } = await restraint(appId)
      if (quiet) found.push('quiet_hours')
      if (cap) found.push('frequency_cap')
    }
    const rules = await consentRules(appId, consent)
    if (rules?.purpose) found.push('not_wanted')
    if (rules?.suppressing) found.push('on_suppression_list')
    return found
  }
}

/** Describes the effect of sending a request. `counted` is its audience. */
export function createSendPreview({ guard, previewers, sendable, restraint, consentRules }: SendPreviewParts) {
  const skipping = createSkipping({ restraint, consentRules })

  return async function describe(
    appId: number,
    { content, target, errors, consent, expiresAt }: JudgedRequest,
    { platforms, isComplete }: PlatformCounts,
    confirm: number | undefined,
  ): Promise<SendPreview> {
    const able = await sendable(appId)
    const message = { content: { ...content, notificationId: LONG_ID }, expiresAt, replacementKey: `n${LONG_ID}` }
    const counts = Object.entries(platforms) as [Platform, number][]
    const gateways = counts.map(([platform, recipients]) => ({
      platform,
      recipients,
      configured: able.includes(platform),
      request: previewers.find((one) => one.platform === platform)?.preview(message) ?? null,
    }))
    const sum = (some: typeof gateways) => some.reduce((all, one) => all + one.recipients, 0)
    const leftOut: SendPreview['leftOut'] = [
      ...namedAndLeftOut(errors, target.exclude.length),
      { reason: 'no_gateway', count: sum(gateways.filter(({ configured }) => !configured)) },
    ]
    const recipients = sum(gateways)
    return {
      recipients,
      isComplete,
      confirm: confirmationFor(await guard.confirmAbove(appId), recipients, confirm),
      gateways,
      leftOut: leftOut.filter(({ count }) => count > 0),
      mayBeSkipped: await skipping(appId, consent),
    }
  }
}
