import { signal, useSignal } from '@preact/signals'
import { ChevronDown, type IconNode, X } from 'lucide'
import type { ComponentChildren, RefObject } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { messageOf } from '../api/errors.ts'
import { Button, IconButton, type Tone } from './button.tsx'
import { TextField } from './field.tsx'
import { Icon } from './icon.tsx'
import { Note } from './surfaces.tsx'

interface DialogProps {
  title: string
  /** Escape, the cross, or a click beside it. */
  onClose(): void
  children: ComponentChildren
  isWide?: boolean
}

/** A dialog over the page. It is open as long as it is drawn; the browser keeps the focus inside and gives it back. */
export function Dialog({ title, onClose, children, isWide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // At once, not after the next picture: whoever closes it may put the cursor somewhere, which must stay there.
  useLayoutEffect(() => {
    const before = document.activeElement
    const at = dialog.current
    at?.showModal()
    return () => {
      at?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={`dialog ${isWide ? 'wide' : ''}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onPointerDown={(event) => {
        if (event.target === dialog.current) onClose()
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <IconButton icon={X} label="Close" onClick={onClose} />
      </div>
      <div class="dialog-body">{children}</div>
    </dialog>
  )
}

interface ConfirmProps {
  title: string
  /** Effect of the action, and whether it can be undone. */
  children: ComponentChildren
  /** The verb: "Delete the app". */
  action: string
  tone?: Tone
  /** The text that must be typed first: a name, or a number of people. */
  typed?: string
  run(): Promise<unknown>
  /** Called after `run` too. */
  onClose(): void
}

/** Asks before something that cannot be undone; with `typed` it must be typed. */
export function ConfirmDialog({ title, children, action, tone = 'danger', typed, run, onClose }: ConfirmProps) {
  const text = useSignal('')
  const isBusy = useSignal(false)
  const problem = useSignal<string | undefined>(undefined)
  const isReady = typed === undefined || text.value.trim() === typed
  const go = async () => {
    if (!isReady || isBusy.peek()) return
    isBusy.value = true
    problem.value = undefined
    try {
      await run()
      onClose()
    } catch (error) {
      problem.value = messageOf(error)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void go()
        }}
      >
        <div class="stack tight">{children}</div>
        {typed !== undefined && (
          <TextField
            label={`Type ${typed} to confirm`}
            value={text.value}
            onChange={(value) => (text.value = value)}
            isMono
            autoFocus
          />
        )}
        <div role="alert">{problem.value !== undefined && <Note tone="bad" title={problem.value} />}</div>
        <div class="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone={tone} isOff={!isReady} isBusy={isBusy.value}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

interface ToastItem {
  id: number
  text: string
  action?: { label: string; run(): void } | undefined
}

const toasts = signal<readonly ToastItem[]>([])
const TOAST_MS = 6000
let lastToast = 0

/** Says shortly that something was done; with an action, such as undo, for longer. Errors belong beside their cause instead. */
export function toast(text: string, action?: ToastItem['action']): void {
  const id = (lastToast += 1)
  toasts.value = [...toasts.peek().slice(-2), { id, text, action }]
  setTimeout(() => dropToast(id), action ? TOAST_MS * 2 : TOAST_MS)
}

const dropToast = (id: number) => void (toasts.value = toasts.peek().filter((one) => one.id !== id))

/** Draws the toasts. The shell has this component once. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, action }) => (
        <div key={id} class="toast">
          <span style={{ flex: 1 }}>{text}</span>
          {action && (
            <Button
              size="small"
              onClick={() => {
                dropToast(id)
                action.run()
              }}
            >
              {action.label}
            </Button>
          )}
          <IconButton icon={X} label="Dismiss" size="small" onClick={() => dropToast(id)} />
        </div>
      ))}
    </div>
  )
}

export interface MenuItem {
  label: string
  icon?: IconNode
  /** A link of the console, or an action. */
  href?: string
  run?(): void
  tone?: 'danger'
  /** Chosen, in a menu of choices. */
  isOn?: boolean
  /** A line above it. */
  isApart?: boolean
}

interface MenuProps {
  items: readonly MenuItem[]
  /** Name for screen readers, where the button has no words. */
  label: string
  /** The button; default: the label with an arrow. */
  button?: ComponentChildren
  /** Class of the button instead of the usual look. */
  look?: string
}

/** A button that opens a list of links and actions. Arrow keys, Home, End and Escape work. */
export function Menu({ items, label, button, look = 'button' }: MenuProps) {
  const isOpen = useSignal(false)
  const trigger = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const itemsOf = () => [...(list.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])]
  const close = (isFocused = true) => {
    list.current?.hidePopover()
    if (isFocused) trigger.current?.focus()
  }
  const open = (at: number) => {
    place(trigger, list)
    list.current?.showPopover()
    place(trigger, list)
    itemsOf().at(at)?.focus()
  }
  const onKey = (event: KeyboardEvent) => {
    const all = itemsOf()
    const now = all.indexOf(document.activeElement as HTMLElement)
    const to = {
      ArrowDown: (now + 1) % all.length,
      ArrowUp: (now - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    }[event.key]
    if (to !== undefined) {
      event.preventDefault()
      all[to]?.focus()
    } else if (event.key === 'Tab') close()
    else if (event.key.length === 1)
      all.find((one) => one.textContent?.trim().toLowerCase().startsWith(event.key.toLowerCase()))?.focus()
  }
  return (
    <>
      <button
        ref={trigger}
        type="button"
        class={look}
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        aria-controls={id}
        onClick={() => (isOpen.peek() ? close() : open(0))}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          open(event.key === 'ArrowDown' ? 0 : -1)
        }}
      >
        {button !== undefined && <span class="hidden">{label}: </span>}
        {button ?? (
          <>
            {label}
            <Icon of={ChevronDown} size="small" />
          </>
        )}
      </button>
      <div
        ref={list}
        id={id}
        class="menu"
        role="menu"
        aria-label={label}
        popover="auto"
        onToggle={(event) => (isOpen.value = event.newState === 'open')}
        onKeyDown={onKey}
      >
        {items.map((item) => (
          <MenuRow key={item.label + (item.href ?? '')} {...item} close={close} />
        ))}
      </div>
    </>
  )
}

function MenuRow({
  label,
  icon,
  href,
  run,
  tone,
  isOn,
  isApart,
  close,
}: MenuItem & { close(isFocused?: boolean): void }) {
  const role = isOn === undefined ? 'menuitem' : 'menuitemradio'
  const checked = isOn === undefined ? {} : { 'aria-checked': isOn }
  const inner = (
    <>
      {icon && <Icon of={icon} size="small" />}
      <span class="grow">{label}</span>
      {isOn && <span aria-hidden="true">✓</span>}
    </>
  )
  return (
    <>
      {isApart && <hr class="menu-line" />}
      {href === undefined ? (
        <button
          type="button"
          class={`menu-item ${tone ?? ''}`}
          role={role}
          {...checked}
          tabIndex={-1}
          onClick={() => {
            close()
            run?.()
          }}
        >
          {inner}
        </button>
      ) : (
        <a class="menu-item" role={role} {...checked} tabIndex={-1} href={href} onClick={() => close(false)}>
          {inner}
        </a>
      )}
    </>
  )
}

const GAP = 4
const EDGE = 8

/** Places a list below its button, or above where there is more room; never outside the window. */
function place(trigger: RefObject<HTMLElement | null>, list: RefObject<HTMLElement | null>): void {
  const [button, menu] = [trigger.current, list.current]
  if (!button || !menu) return
  const at = button.getBoundingClientRect()
  const { offsetHeight: height, offsetWidth: width } = menu
  const isRtl = getComputedStyle(button).direction === 'rtl'
  const wanted = isRtl ? at.right - width : at.left
  const left = Math.max(EDGE, Math.min(wanted, innerWidth - width - EDGE))
  const isBelow = at.bottom + GAP + height <= innerHeight - EDGE || at.top < innerHeight - at.bottom
  menu.style.left = `${left}px`
  menu.style.top = `${isBelow ? at.bottom + GAP : Math.max(EDGE, at.top - GAP - height)}px`
  menu.style.minWidth = `${Math.min(at.width, 320)}px`
}
