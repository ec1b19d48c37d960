import { ChevronRight, CircleAlert, CircleCheck, type IconNode, Info, TriangleAlert } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { ApiError, messageOf } from '../api/errors.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { useTitle } from './use-title.ts'

interface CardProps {
  title?: ComponentChildren
  /** Sentence below the title. */
  about?: ComponentChildren
  /** Buttons beside the title. */
  actions?: ComponentChildren
  children?: ComponentChildren
  foot?: ComponentChildren
  /** Removes the padding, for a table that reaches to the edges. */
  isFlush?: boolean
}

/** A sheet with one topic. */
export function Card({ title, about, actions, children, foot, isFlush = false }: CardProps) {
  const id = useId()
  return (
    <section class="card" aria-labelledby={title === undefined ? undefined : id}>
      {title !== undefined && (
        <div class="card-head">
          <div>
            <h2 id={id}>{title}</h2>
            {about !== undefined && <p>{about}</p>}
          </div>
          {actions !== undefined && <div class="row">{actions}</div>}
        </div>
      )}
      {children !== undefined && <div class={`card-body ${isFlush ? 'flush' : ''}`}>{children}</div>}
      {foot !== undefined && <div class="card-foot">{foot}</div>}
    </section>
  )
}

interface PageHeadProps {
  /** The heading of the page, which gets the focus when people come here. */
  title: string
  /** Title of the window, where the heading would not tell the page apart: that of a home is the name of the app. */
  windowTitle?: string
  about?: ComponentChildren
  /** The way here: `[{ label: 'Users', href: href('/apps/1/users') }]`. */
  crumbs?: readonly { label: string; href: string }[]
  actions?: ComponentChildren
}

/** The top of a page. Each page has one; it also names the window. */
export function PageHead({ title, windowTitle = title, about, crumbs = [], actions }: PageHeadProps) {
  useTitle([windowTitle, crumbs.at(-1)?.label].filter(Boolean).join(' · '))
  return (
    <header class="page-head">
      <div class="page-head-text">
        {crumbs.length > 0 && (
          <nav class="crumbs" aria-label="Breadcrumbs">
            <ol>
              {crumbs.map((crumb) => (
                <li key={crumb.href}>
                  <a href={crumb.href}>{crumb.label}</a>
                  <Icon of={ChevronRight} size="small" flips />
                </li>
              ))}
            </ol>
          </nav>
        )}
        <h1 tabIndex={-1}>{title}</h1>
        {about !== undefined && <p>{about}</p>}
      </div>
      {actions !== undefined && <div class="row">{actions}</div>}
    </header>
  )
}

type NoteTone = 'info' | 'good' | 'warn' | 'bad'
const NOTE_ICONS: Record<NoteTone, IconNode> = { info: Info, good: CircleCheck, warn: TriangleAlert, bad: CircleAlert }

interface NoteProps {
  tone?: NoteTone
  title: ComponentChildren
  children?: ComponentChildren
  /** Buttons that remedy it. */
  actions?: ComponentChildren
}

/** A message in the flow of the page. */
export function Note({ tone = 'info', title, children, actions }: NoteProps) {
  return (
    <div class={`note ${tone}`}>
      <Icon of={NOTE_ICONS[tone]} />
      <div class="note-text">
        {children === undefined ? title : <strong>{title}</strong>}
        {children}
        {actions !== undefined && <div class="note-actions">{actions}</div>}
      </div>
    </div>
  )
}

interface EmptyProps {
  icon: IconNode
  /** Sentence that says what is missing: "No segments yet". */
  title: string
  /** Use of such things, in a sentence. */
  children?: ComponentChildren
  /** Button or link that makes the first one. */
  action?: ComponentChildren
}

/** Instead of an empty list. */
export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon of={icon} size="large" />
      </span>
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {action !== undefined && <div class="row">{action}</div>}
    </div>
  )
}

/** Instead of what could not be read. */
export function Failed({ error, retry }: { error: unknown; retry?: () => void }) {
  const isGone = error instanceof ApiError && error.status === 404
  return (
    <div role="alert">
      <Note
        tone={isGone ? 'warn' : 'bad'}
        title={messageOf(error)}
        actions={
          isGone ? (
            <Button size="small" onClick={() => history.back()}>
              Go back
            </Button>
          ) : (
            retry && (
              <Button size="small" onClick={retry}>
                Try again
              </Button>
            )
          )
        }
      />
    </div>
  )
}

/** Grey lines while something is read. `height`, in pixels, is that of what comes, so that nothing below it moves then. */
export function Skeleton({ lines = 3, height }: { lines?: number; height?: number }) {
  return (
    <div
      class="stack tight"
      role="status"
      aria-busy="true"
      {...(height !== undefined && { style: { minBlockSize: `${height}px`, alignContent: 'start' } })}
    >
      <span class="hidden">Loading</span>
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} class="skeleton" style={{ inlineSize: `${90 - ((i * 37) % 45)}%` }} />
      ))}
    </div>
  )
}

type BadgeTone = NoteTone | 'accent' | 'quiet'

/** A state in a word. It says the word; the colour only helps. */
export function Badge({
  tone = 'quiet',
  isPlain = false,
  children,
}: {
  tone?: BadgeTone
  isPlain?: boolean
  children: ComponentChildren
}) {
  return <span class={`badge ${tone} ${isPlain ? 'plain' : ''}`}>{children}</span>
}

export interface StepItem {
  title: string
  about?: ComponentChildren
  isDone: boolean
  /** A button or a link. */
  action?: ComponentChildren
}

/** Steps in their order. The first one that is not done is marked as the current one. */
export function Steps({ items }: { items: readonly StepItem[] }) {
  const now = items.findIndex(({ isDone }) => !isDone)
  return (
    <ol class="steps">
      {items.map(({ title, about, isDone, action }, i) => (
        <li
          key={title}
          class={`step ${isDone ? 'done' : i === now ? 'now' : ''}`}
          aria-current={i === now ? 'step' : undefined}
        >
          <span class="step-mark" aria-hidden="true">
            {isDone ? '✓' : i + 1}
          </span>
          <div class="step-text">
            <strong>
              {title}
              {isDone && <span class="hidden"> (done)</span>}
            </strong>
            {about !== undefined && !isDone && <p>{about}</p>}
          </div>
          {!isDone && action}
        </li>
      ))}
    </ol>
  )
}

interface PhoneProps {
  device?: 'phone' | 'tablet' | 'browser'
  look?: 'light' | 'dark'
  /** Name of the preview, for screen readers. */
  label: string
  children: ComponentChildren
}

/** The frame of a device around a preview. */
export function Phone({ device = 'phone', look, label, children }: PhoneProps) {
  return (
    <div class={`phone ${device} ${look ?? ''}`} role="group" aria-label={label}>
      <div class="phone-screen">{children}</div>
    </div>
  )
}
