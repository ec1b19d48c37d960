import { useSignal } from '@preact/signals'
import { Check, Copy, type IconNode } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

/** `plain` is the usual look. */
export type Tone = 'primary' | 'plain' | 'danger' | 'bare'

interface ButtonProps {
  children: ComponentChildren
  /**
   * Action of the button. One that writes returns its promise: it is not called again until that has settled, nor for the
   * second click of a double click.
   */
  onClick?: ((event: MouseEvent) => unknown) | undefined
  /** Makes it a link that looks like a button. */
  href?: string | undefined
  /** `primary` once a page at most. */
  tone?: Tone | undefined
  icon?: IconNode | undefined
  size?: 'small' | undefined
  type?: 'button' | 'submit'
  /** Shows that the action is running; the button cannot be pressed. */
  isBusy?: boolean
  /** Makes the button unpressable. It stays in the order of the keyboard; a text beside it says why. */
  isOff?: boolean
  isBlock?: boolean
  /** Saves what the link leads to under this name. */
  download?: string | undefined
  describedBy?: string | undefined
}

export function Button(props: ButtonProps) {
  const { children, onClick, href, tone, icon, size, type = 'button', isBusy = false, isOff = false } = props
  const press = useOnce(onClick, type === 'submit')
  const look = `button ${tone ?? ''} ${size ?? ''} ${props.isBlock ? 'block' : ''}`
  const inner = (
    <>
      {isBusy ? <span class="spinner" /> : icon && <Icon of={icon} size={size} />}
      {children}
    </>
  )
  if (href !== undefined && !isOff) {
    return (
      <a class={look} href={href} onClick={onClick} {...(props.download && { download: props.download })}>
        {inner}
      </a>
    )
  }
  return (
    <button
      type={type}
      class={look}
      aria-disabled={isOff || isBusy ? 'true' : undefined}
      aria-describedby={props.describedBy}
      onClick={(event) => {
        if (isOff || isBusy) event.preventDefault()
        else press(event)
      }}
    >
      {inner}
    </button>
  )
}

/**
 * A press that a double click makes once. The first of its clicks is often answered before the second one comes, so being busy does
 * not keep the second one off. Buttons that only change the page may be pressed as fast as people can.
 */
function useOnce(onClick: ButtonProps['onClick'], isSubmit: boolean) {
  const writes = useRef(isSubmit)
  const isRunning = useRef(false)
  return (event: MouseEvent) => {
    if (isRunning.current || (writes.current && event.detail > 1)) return event.preventDefault()
    const done = onClick?.(event)
    if (!(done instanceof Promise)) return
    writes.current = true
    isRunning.current = true
    const end = () => void (isRunning.current = false)
    done.then(end, end)
  }
}

interface IconButtonProps {
  icon: IconNode
  /** Name of the action, for screen readers and as the title. */
  label: string
  /** Action of the button, with the rules of `Button`. */
  onClick?: ((event: MouseEvent) => unknown) | undefined
  href?: string
  size?: 'small' | undefined
  flips?: boolean
}

/** A button that is only a picture. */
export function IconButton({ icon, label, onClick, href, size, flips = false }: IconButtonProps) {
  const inner = <Icon of={icon} size={size} flips={flips} />
  const press = useOnce(onClick, false)
  const look = `button bare icon-only ${size ?? ''}`
  if (href !== undefined) {
    return (
      <a class={look} href={href} aria-label={label} title={label}>
        {inner}
      </a>
    )
  }
  return (
    <button type="button" class={look} aria-label={label} title={label} onClick={press}>
      {inner}
    </button>
  )
}

const COPIED_MS = 1500
/** Name of the event that bubbles from a button that has copied something. */
export const COPIED = 'copied'

/** Puts a text on the clipboard; where the browser does not let the page, as without HTTPS, through the selection. */
async function copyText(text: string, beside: Element): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    area.className = 'hidden'
    // In a dialog nothing outside of it can be selected.
    ;(beside.closest('dialog') ?? document.body).append(area)
    area.select()
    document.execCommand('copy')
    area.remove()
  }
  beside.dispatchEvent(new CustomEvent(COPIED, { bubbles: true }))
}

interface CopyProps {
  text: string
  label?: string
  /** A button with words, in this tone, instead of a picture. */
  tone?: Tone
}

/** Copies a text and says so. */
export function CopyButton({ text, label = 'Copy', tone }: CopyProps) {
  const isCopied = useSignal(false)
  const copy = async ({ currentTarget }: MouseEvent) => {
    await copyText(text, currentTarget as Element)
    isCopied.value = true
    setTimeout(() => (isCopied.value = false), COPIED_MS)
  }
  const icon = isCopied.value ? Check : Copy
  return (
    <>
      {tone === undefined ? (
        <IconButton icon={icon} label={label} size="small" onClick={(event) => void copy(event)} />
      ) : (
        <Button icon={icon} tone={tone} onClick={(event) => void copy(event)}>
          {label}
        </Button>
      )}
      <span class="hidden" role="status">
        {isCopied.value ? 'Copied' : ''}
      </span>
    </>
  )
}
