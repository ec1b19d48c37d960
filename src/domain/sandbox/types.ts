import type { Platform } from '../gateways/registry.ts'

/** Phones that the sandbox imitates here, for a newcomer without a phone. */
export const PHONE_KINDS = ['iphone', 'android', 'chrome', 'unifiedpush'] as const
export type PhoneKind = (typeof PHONE_KINDS)[number]

/** The gateway that reaches each of them. */
export const PHONE_PLATFORMS = {
  iphone: 'ios',
  android: 'android',
  chrome: 'web',
  unifiedpush: 'web',
} as const satisfies Record<PhoneKind, Platform>

/** A phone that exists in the sandbox only. */
export interface SandboxPhone {
  kind: PhoneKind
  platform: Platform
  installId: string
  /** Identifier of its user. */
  userId: string
  /** Name of the phone on the page of the sandbox. */
  name: string
}
