/** A banner on a web page that leads to the app; the web SDK shows it on phones (docs/reference/device-protocol.md sections 7 and 13). */
export interface Banner {
  id: number
  appId: number
  uuid: string
  /** The link that it opens. */
  linkId: number
  slug: string
  design: BannerDesign
  createdAt: number
  updatedAt: number
}

/** The look of a banner, and its condition. Sent to the SDK unchanged, so the names are the SDK's. */
export interface BannerDesign {
  position: 'top' | 'bottom'
  trigger: BannerTrigger
  imageUrl?: string
  labels: Record<(typeof BANNER_LABELS)[number], string>
  colors: Record<(typeof BANNER_COLORS)[number], string>
  appRating?: { rating: number; ratingCount: number }
  uiActions: { decline: BannerDecline }
}

/** Shows the banner when the page tracks such an event and all filters match. */
interface BannerTrigger {
  event: string
  afterSeconds?: number
  filters?: [property: string, operator: string, value: string | number | boolean | (string | number)[]][]
}

/** The effect of the second button: it hides the banner for ever, or for a while. */
type BannerDecline = { type: 'decline' } | { type: 'remind'; delay: { duration: number; timeUnit: 'hours' | 'days' } }

export const BANNER_LABELS = ['heading', 'body', 'acceptAction', 'declineAction'] as const
export const BANNER_COLORS = [
  'fg',
  'bg',
  'declineActionFg',
  'declineActionBg',
  'acceptActionFg',
  'acceptActionBg',
  'ratingFg',
] as const

/** A banner to create. `link` is the slug of a link of the app. */
export interface NewBanner extends BannerDesign {
  link: string
}

/** A change of a banner. Absent parts are unchanged; given parts are replaced completely. */
export type BannerChange = { [K in keyof NewBanner]?: NewBanner[K] | undefined }
