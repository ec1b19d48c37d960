import { signal, useSignal } from '@preact/signals'
import { ChevronDown, type IconNode, X } from 'lucide'
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { messageOf } from '../api/errors.ts'
import { place } from '../state/router.ts'
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
  /** Only a button in it closes it: what it shows would be lost. */
  isHeld?: boolean
}

/**
 * A dialog over the page. It is open as long as it is drawn; the browser keeps the focus inside and gives it back. It begins with its first
 * field, and without one with its first button, which changes nothing.
 */
export function Dialog({ title, onClose, children, isWide = false, isHeld = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // At once, not after the next picture: whoever closes it may put the cursor somewhere, which must stay there.
  useLayoutEffect(() => {
    const before = document.activeElement
    const at = dialog.current!
    at.showModal()
    firstOf(at)?.focus()
    return () => {
      at.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={`dialog ${isWide ? 'wide' : ''}`}
      aria-labelledby={id}
      onKeyDown={(event) => {
        // A second Escape would close it whatever `cancel` says.
        if (event.key === 'Escape' && isHeld) event.preventDefault()
      }}
      onCancel={(event) => {
        event.preventDefault()
        if (!isHeld) onClose()
      }}
      onPointerDown={(event) => {
        if (event.target === dialog.current && !isHeld) onClose()
      }}
    >
      <div class="dialog-head">
        <h2 id={id} tabIndex={-1}>
          {title}
        </h2>
        {!isHeld && <IconButton icon={X} label="Close" onClick={onClose} />}
      </div>
      <div class="dialog-body">{children}</div>
    </dialog>
  )
}

const FIELDS = [
  'input:not([type="hidden"], [disabled], [tabindex="-1"])',
  'select:not([disabled])',
  'textarea:not([disabled])',
].join(', ')

/** The part of a dialog with which people begin; never the cross, which a blank would press. */
function firstOf(dialog: HTMLDialogElement): HTMLElement | null {
  const body = dialog.querySelector('.dialog-body')!
  const fields = [...body.querySelectorAll<HTMLElement>(FIELDS)].filter((one) => one.checkVisibility())
  return (
    body.querySelector<HTMLElement>('[autofocus]') ??
    fields[0] ??
    body.querySelector<HTMLElement>('.dialog-foot .button, .form-foot .button') ??
    dialog.querySelector('h2')
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
  /** Path of the page to which it belongs; undefined until what made it is over, which may lead to another page. */
  path?: string
}

const toasts = signal<readonly ToastItem[]>([])
const TOAST_MS = 6000
let lastToast = 0

/**
 * Says shortly that something was done; with an action, such as undo, for longer. It goes when people go to another page. Errors belong
 * beside their cause instead.
 */
export function toast(text: string, action?: ToastItem['action']): void {
  const id = (lastToast += 1)
  const item: ToastItem = { id, text, action }
  toasts.value = [...toasts.peek().slice(-2), item]
  setTimeout(() => (item.path = place.peek().path))
  setTimeout(() => dropToast(id), action ? TOAST_MS * 2 : TOAST_MS)
}

const dropToast = (id: number) => void (toasts.value = toasts.peek().filter((one) => one.id !== id))

/** Draws the toasts. The shell has this component once. */
export function Toasts() {
  const { path } = place.value
  useEffect(() => {
    toasts.value = toasts.peek().filter((one) => one.path === undefined || one.path === path)
  }, [path])
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
  /** A picture in place of the icon. */
  mark?: ComponentChildren
  /** A link of the console, or an action. */
  href?: string
  run?(): void
  tone?: 'danger'
  /** Chosen, in a menu of choices. */
  isOn?: boolean
  /** A line above it. */
  isApart?: boolean
  /** The keys that do the same. */
  keys?: string
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
    list.current?.showPopover()
    put(trigger, list)
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
  mark,
  href,
  run,
  tone,
  isOn,
  isApart,
  keys,
  close,
}: MenuItem & { close(isFocused?: boolean): void }) {
  const role = isOn === undefined ? 'menuitem' : 'menuitemradio'
  const checked = isOn === undefined ? {} : { 'aria-checked': isOn }
  const inner = (
    <>
      {mark ?? (icon && <Icon of={icon} size="small" />)}
      <span class="grow">{label}</span>
      {keys !== undefined && <kbd aria-hidden="true">{keys}</kbd>}
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
/** Minimum width of a list: a shorter one is hard to hit, and its words look lost. */
const NARROWEST = 200

/**
 * Puts a list below its button, or above where there is more room; never outside the window. They share the edge that is nearer to the
 * side of the window, so that a list stays within the column of its button.
 */
function put(trigger: RefObject<HTMLElement | null>, list: RefObject<HTMLElement | null>): void {
  const [button, menu] = [trigger.current, list.current]
  if (!button || !menu) return
  const at = button.getBoundingClientRect()
  menu.style.minWidth = `${Math.min(Math.max(at.width, NARROWEST), 320)}px`
  const { offsetHeight: height, offsetWidth: width } = menu
  const isAtEnd = at.left + at.right > innerWidth
  const wanted = isAtEnd ? at.right - width : at.left
  const left = Math.max(EDGE, Math.min(wanted, innerWidth - width - EDGE))
  const isBelow = at.bottom + GAP + height <= innerHeight - EDGE || at.top < innerHeight - at.bottom
  menu.style.left = `${left}px`
  menu.style.top = `${isBelow ? at.bottom + GAP : Math.max(EDGE, at.top - GAP - height)}px`
}
