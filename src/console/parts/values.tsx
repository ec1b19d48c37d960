import { useSignal } from '@preact/signals'
import { ChevronRight, Eye, EyeOff } from 'lucide'
import type { ComponentChildren } from 'preact'
import { CopyButton, IconButton } from './button.tsx'
import { Icon } from './icon.tsx'
import { now } from './now.ts'
import { formatNumber } from './numbers.ts'
import { instantFrom } from './zones.ts'

/** In place of a value that is not there. A list on a phone leaves it out. */
export const Nothing = () => <span class="quiet nothing">–</span>

/** Names and what they are. A row whose value is undefined or false is left out. */
export function KeyValues({ items }: { items: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="pairs">
      {items
        .filter(([, value]) => value !== undefined && value !== false)
        .map(([name, value]) => (
          <>
            <dt key={name}>{name}</dt>
            <dd key={`${name} is`}>{value === null || value === '' ? <Nothing /> : value}</dd>
          </>
        ))}
    </dl>
  )
}

interface TimeProps {
  at: string | Date | null | undefined
  isExact?: boolean
  /** Something to come. Without it the instant is a fact, which is never told as the future, whatever the clocks of server and browser say. */
  isDue?: boolean
}

/** An instant: how long ago or until then, and exactly, in the viewer's zone, as its title. It keeps up with the clock. */
export function Time({ at, isExact = false, isDue = false }: TimeProps) {
  if (at === null || at === undefined) return <Nothing />
  const date = typeof at === 'string' ? instantFrom(at) : at
  const exact = date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <time
      dateTime={date.toISOString()}
      title={date.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' })}
    >
      {isExact ? exact : relative(date, now.value, isDue)}
    </time>
  )
}

const STEPS = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
] as const
const JUST_NOW_S = 45
const words = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

/** "3 minutes ago", "tomorrow". */
function relative(at: Date, from: number, isDue: boolean): string {
  let amount = (at.getTime() - from) / 1000
  if (!isDue) amount = Math.min(0, amount)
  if (Math.abs(amount) < JUST_NOW_S) return amount > 1 ? 'in a moment' : 'just now'
  for (const [unit, size] of STEPS) {
    if (Math.abs(amount) < size) return words.format(Math.round(amount), unit)
    amount /= size
  }
  return words.format(Math.round(amount), 'year')
}

/** A number with separators; `isShort` for large ones where there is little room: 1.2M. */
export function Num({ value, isShort = false }: { value: number | null | undefined; isShort?: boolean }) {
  if (value === null || value === undefined) return <Nothing />
  const text = formatNumber(value, isShort)
  return (
    <span class="number" title={isShort ? formatNumber(value) : undefined}>
      {text}
    </span>
  )
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** `1536` -> `1.5 kB` */
export function formatBytes(bytes: number): string {
  const step = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${new Intl.NumberFormat(undefined, { maximumFractionDigits: step === 0 ? 0 : 1 }).format(bytes / 1000 ** step)} ${UNITS[step]}`
}

interface StatProps {
  label: string
  value: ComponentChildren
  /** A change, a share, or what it means. */
  more?: ComponentChildren
}

/** A large number with its label. */
export function Stat({ label, value, more }: StatProps) {
  return (
    <div class="stat">
      <span class="stat-label">{label}</span>
      <span class="stat-value">{value}</span>
      {more !== undefined && <span class="stat-more">{more}</span>}
    </div>
  )
}

/** A text to take along, with its button. */
export function Copyable({ text, children }: { text: string; children?: ComponentChildren }) {
  return (
    <span class="copyable">
      <span class="mono" style={{ overflowWrap: 'anywhere' }}>
        {children ?? text}
      </span>
      <CopyButton text={text} label={`Copy ${text.length > 40 ? 'the text' : text}`} />
    </span>
  )
}

const SHOWN = 4

/** A value that others in the room shall not read; `what` names it: "server key". */
export function Masked({ value, what }: { value: string; what: string }) {
  const isShown = useSignal(false)
  return (
    <span class="masked">
      <span style={{ overflowWrap: 'anywhere' }}>{isShown.value ? value : `${value.slice(0, SHOWN)}••••••••`}</span>
      <IconButton
        icon={isShown.value ? EyeOff : Eye}
        label={isShown.value ? `Hide the ${what}` : `Show the ${what}`}
        size="small"
        onClick={() => (isShown.value = !isShown.value)}
      />
      <CopyButton text={value} label={`Copy the ${what}`} />
    </span>
  )
}

interface MoreProps {
  label: string
  children: ComponentChildren
  isOpen?: boolean
}

/** Details that most people do not need. */
export function More({ label, children, isOpen = false }: MoreProps) {
  return (
    <details class="more" open={isOpen}>
      <summary>
        <Icon of={ChevronRight} size="small" flips />
        {label}
      </summary>
      <div class="more-body">{children}</div>
    </details>
  )
}

/** A bar for a share of `max`: green, amber above `warnAt`, red above `badAt` (shares of 1). */
export function Meter(props: {
  label: string
  value: number
  max: number
  text?: string
  warnAt?: number
  badAt?: number
}) {
  const { label, value, max, warnAt = 0.75, badAt = 1 } = props
  const share = max === 0 ? 0 : value / max
  const look = share > badAt ? 'bad' : share > warnAt ? 'warn' : ''
  const text = props.text ?? `${formatNumber(value)} of ${formatNumber(max)}`
  return (
    <div>
      <div class="progress-head">
        <span>{label}</span>
        <span class="quiet number">{text}</span>
      </div>
      <div
        class="meter"
        role="meter"
        aria-label={label}
        aria-valuenow={value}
        aria-valuemin={0}
        aria-valuemax={max}
        aria-valuetext={text}
      >
        <div class={`meter-bar ${look}`} style={{ inlineSize: `${Math.min(1, share) * 100}%` }} />
      </div>
    </div>
  )
}

/** A bar for the progress of something; without `value` the progress is unknown. */
export function Progress({ label, value, max, text }: { label: string; value?: number; max?: number; text?: string }) {
  const isKnown = value !== undefined && max !== undefined
  const said = text ?? (isKnown ? `${formatNumber(value)} of ${formatNumber(max)}` : '')
  const at = isKnown ? { 'aria-valuenow': value, 'aria-valuemin': 0, 'aria-valuemax': max } : {}
  return (
    <div>
      <div class="progress-head">
        <span>{label}</span>
        <span class="quiet number">{said}</span>
      </div>
      <div
        class={`progress ${isKnown ? '' : 'endless'}`}
        role="progressbar"
        aria-label={label}
        {...at}
        {...(said !== '' && { 'aria-valuetext': said })}
      >
        <div class="progress-bar" style={isKnown ? { inlineSize: `${max === 0 ? 100 : (value / max) * 100}%` } : {}} />
      </div>
    </div>
  )
}
