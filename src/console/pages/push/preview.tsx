import { type Signal, useSignal } from '@preact/signals'
import { Image } from 'lucide'
import type { ComponentChildren } from 'preact'
import { JsonView } from '../../parts/code.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ownPicture } from '../../parts/picture-address.ts'
import { ORDER, PLATFORMS, type Platform } from '../../parts/platforms.ts'
import { Card, Phone } from '../../parts/surfaces.tsx'
import { Meter, More } from '../../parts/values.tsx'
import { type Payload, type Shown, shownOf } from './shown.ts'

/** Looks and size of the push on each platform, drawn from the very requests that would be sent. */
export function Preview({
  payloads,
  app,
  problem,
  isLeftOut = false,
  children,
}: {
  payloads: readonly Payload[]
  app: string
  problem?: string | undefined
  /** The person as whom it is drawn gets nothing. */
  isLeftOut?: boolean
  /** The choice of the person as whom it is drawn. */
  children?: ComponentChildren
}) {
  const platform = useSignal<Platform>('ios')
  const isDark = useSignal(false)
  const isOpen = useSignal(false)
  const payload = payloads.find((one) => one.platform === platform.value)
  return (
    <Card title="How it looks">
      <div class="stack">
        {children}
        <div class="push-tabs" role="group" aria-label="Device">
          {ORDER.map((name) => (
            <button
              key={name}
              type="button"
              class="push-tab"
              aria-pressed={platform.value === name}
              onClick={() => (platform.value = name)}
            >
              {PLATFORMS[name].name}
            </button>
          ))}
        </div>
        <div class="row push-looks">
          <Toggle on={isDark} label="Dark" />
          <Toggle on={isOpen} label="Opened" />
        </div>
        <MockUp
          platform={platform.value}
          shown={isLeftOut ? NOTHING : payload && shownOf(payload)}
          app={app}
          isDark={isDark.value}
          isOpen={isOpen.value}
        />
        {problem !== undefined && (
          <p class="push-problem" role="alert">
            {problem}
          </p>
        )}
        {payloads.length > 0 && (
          <div class="push-sizes" aria-label="Size" role="group">
            {ORDER.flatMap((name) => payloads.filter((one) => one.platform === name)).map(
              ({ platform: name, request }) => (
                <Meter
                  key={name}
                  label={PLATFORMS[name].name}
                  value={request.bytes}
                  max={request.limit}
                  text={`${request.bytes.toLocaleString()} of ${request.limit.toLocaleString()} bytes`}
                />
              ),
            )}
          </div>
        )}
        {payload && (
          <More label="What is sent">
            <JsonView value={payload.request.payload} />
          </More>
        )}
      </div>
    </Card>
  )
}

export function Toggle({ on, label }: { on: Signal<boolean>; label: string }) {
  return (
    <button type="button" class="push-tab" aria-pressed={on.value} onClick={() => (on.value = !on.value)}>
      {label}
    </button>
  )
}

interface MockUpProps {
  platform: Platform
  /** Visible parts of the push; undefined while nothing is written. */
  shown: Shown | undefined
  app: string
  isDark: boolean
  isOpen: boolean
}

const TODAY = new Date().toLocaleDateString(undefined, { weekday: 'long', day: 'numeric', month: 'long' })
const NOTHING: Shown = { title: 'No push', message: 'This person gets nothing.', buttons: [] }
const WAITING: Shown = { title: 'Title', message: 'What you write appears here.', buttons: [] }

/** A notification as a kind of device draws it. */
export function MockUp({ platform, shown = WAITING, app, isDark, isOpen }: MockUpProps) {
  const isBrowser = platform === 'web' || platform === 'safari'
  const { title, subtitle, message, picture, buttons } = shown
  const own = picture === undefined ? undefined : ownPicture(picture)
  const { look, device } = PLATFORMS[platform]
  const label = `${device}: ${title}. ${message}`
  return (
    <Phone device={isBrowser ? 'browser' : 'phone'} look={isDark ? 'dark' : 'light'} label={label}>
      <div class={`push-screen ${look}`}>
        {!isBrowser && (
          <p class="push-clock" aria-hidden="true">
            <span>{TODAY}</span>
            9:41
          </p>
        )}
        <div
          class={`push-card ${look} ${isOpen ? 'open' : ''} ${shown === WAITING || shown === NOTHING ? 'waiting' : ''}`}
        >
          <div class="push-card-head">
            <span class="push-app" aria-hidden="true">
              {[...app][0]?.toUpperCase()}
            </span>
            <span class="push-app-name">{platform === 'web' ? `Google Chrome · ${app}` : app}</span>
            <span class="push-now">now</span>
          </div>
          <div class="push-card-body">
            <div class="push-texts">
              <strong dir="auto">{title}</strong>
              {subtitle !== undefined && <em dir="auto">{subtitle}</em>}
              <p dir="auto">{message}</p>
            </div>
            {picture !== undefined && !isOpen && (
              <span class="push-thumb">
                {own === undefined ? <Icon of={Image} size="small" /> : <img src={own} alt="" />}
              </span>
            )}
          </div>
          {picture !== undefined && isOpen && (
            <div class="push-picture">
              {own === undefined ? (
                <>
                  <Icon of={Image} />
                  <span>{hostOf(picture)}</span>
                </>
              ) : (
                <img src={own} alt="" />
              )}
            </div>
          )}
          {isOpen && buttons.length > 0 && (
            <div class="push-actions">
              {buttons.map((text, i) => (
                <span key={i}>{text}</span>
              ))}
            </div>
          )}
        </div>
      </div>
    </Phone>
  )
}

/** Pictures of other servers are not loaded here: the page's policy forbids it, and the server would learn of the draft. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'Picture'
}
