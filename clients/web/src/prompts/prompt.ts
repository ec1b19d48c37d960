import type { Trigger } from '../../../core/src/index.ts'

type Words = Record<string, string>

/** The time after which a prompt that was declined comes back. */
export interface Delay {
  duration: number
  timeUnit: 'hours' | 'days'
}

/** Channels that a prompt offers. */
export interface ChannelChoice {
  presentedUuids: string[] | 'all'
  checkedUuids: string[] | 'none' | 'all'
}

type PromptAction =
  | { type: 'subscribeToChannel'; channelUuid: string }
  | { type: 'userChannelSelectInline'; channels: ChannelChoice }
  | {
      type: 'userChannelSelectDialog'
      channels: ChannelChoice
      dialogConfig: { labels: Words; colors: Words; position: string }
    }

/** A prompt of the console (docs/gateways/web.md). */
export interface Prompt {
  uuid: string
  type: 'bell' | 'alert' | 'banner'
  trigger: Trigger
  position: string
  labels?: { bell?: Words; alert?: Words; banner?: Words; tooltip?: Words; thanksForSubscribing?: string }
  colors?: Record<string, Words>
  uiActions?: { decline?: { type: 'decline' | 'remind'; delay?: Delay } }
  imageUrl?: string
  backgroundMask?: { colors: { bg: string } }
  overlay?: { iconUrl?: string; labels: Words; links?: { label: string; url: string }[]; colors: Words }
  silentOverlay?: { labels: Words; colors: Words }
  actions?: PromptAction[]
}
