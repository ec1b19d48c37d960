import { Bell, Star } from 'lucide'
import type { ComponentChildren } from 'preact'
import { Icon } from '../../parts/icon.tsx'
import { Phone } from '../../parts/surfaces.tsx'
import type { BoxColors } from './words.ts'

/** A web page with something of ours on it. */
function WebPage({
  label,
  isPhone = false,
  children,
}: {
  label: string
  isPhone?: boolean
  children: ComponentChildren
}) {
  return (
    <Phone device={isPhone ? 'phone' : 'browser'} look="light" label={label}>
      <div class="web-page">
        <div class="web-lines" aria-hidden="true">
          {[70, 100, 92, 100, 64, 100, 88].map((width, i) => (
            <span key={i} style={{ inlineSize: `${width}%` }} />
          ))}
        </div>
        {children}
      </div>
    </Phone>
  )
}

interface BoxProps {
  /** `top`, `bottom`, `center`. */
  position: string
  labels: { heading: string; body: string; acceptAction: string; declineAction: string }
  colors: BoxColors & { ratingFg?: string }
  rating?: { rating: number; ratingCount: number } | undefined
  hasPicture?: boolean
}

/** A box as the web SDK draws it, in its colours. */
function Box({ position, labels, colors, rating, hasPicture = false }: BoxProps) {
  return (
    <div class={`web-box ${position}`} style={{ background: colors.bg, color: colors.fg }}>
      {hasPicture && <div class="web-picture" aria-hidden="true" />}
      <div class="web-text">
        <strong>{labels.heading || 'Heading'}</strong>
        <span>{labels.body || 'Text'}</span>
        {rating && (
          <span class="web-rating" style={{ color: colors.ratingFg }}>
            <Icon of={Star} size="small" /> {rating.rating} ({rating.ratingCount})
          </span>
        )}
      </div>
      <div class="web-buttons">
        <span style={{ background: colors.declineActionBg, color: colors.declineActionFg }}>
          {labels.declineAction || 'Later'}
        </span>
        <span style={{ background: colors.acceptActionBg, color: colors.acceptActionFg }}>
          {labels.acceptAction || 'Open'}
        </span>
      </div>
    </div>
  )
}

/** A banner on the page of a phone. */
export function BannerView(props: BoxProps) {
  return (
    <WebPage label="The banner on a web page" isPhone>
      <Box {...props} />
    </WebPage>
  )
}

/** Box or strip that asks for permission. */
export function PromptView(props: BoxProps) {
  return (
    <WebPage label="The prompt on a web page">
      <Box {...props} />
    </WebPage>
  )
}

/** The bell in a corner, with what it says under the pointer. */
export function BellView({
  position,
  tooltip,
  colors,
}: {
  position: string
  tooltip: string
  colors: { fg: string; bg: string }
}) {
  return (
    <WebPage label="The bell on a web page">
      <div class={`web-bell ${position === 'bottom-left' ? 'left' : ''}`}>
        <span class="web-tip">{tooltip}</span>
        <span class="web-bell-button" style={{ background: colors.bg, color: colors.fg }}>
          <Icon of={Bell} />
        </span>
      </div>
    </WebPage>
  )
}

/** Column beside the form. */
export function BesideView({ children }: { children: ComponentChildren }) {
  return (
    <div class="banner-side">
      {children}
      <p class="quiet small-text">As visitors see it, as close as this page can draw it.</p>
    </div>
  )
}
