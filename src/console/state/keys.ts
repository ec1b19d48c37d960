import { signal } from '@preact/signals'

/** A key, or several in a row, that does something. */
export interface Shortcut {
  /** `?`, `/`, `g h`: one after the other, or `Ctrl+K`, which works while people type and is the command key of a Mac. */
  keys: string
  /** Effect of the shortcut, for the list that `?` shows. */
  says: string
  run(): void
}

/** All shortcuts that are in force now, in the order in which they were added. */
export const shortcuts = signal<readonly Shortcut[]>([])

/** Time within which the second key must follow. */
const PATIENCE_MS = 1200

/** Adds shortcuts; returns a function that removes them. */
export function addShortcuts(more: readonly Shortcut[]): () => void {
  shortcuts.value = [...shortcuts.peek(), ...more]
  return () => {
    shortcuts.value = shortcuts.peek().filter((one) => !more.includes(one))
  }
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|SELECT|TEXTAREA)$/.test(target.tagName))

export function startKeys(): void {
  let before = ''
  let at = 0
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.altKey || document.querySelector('dialog[open]')) return
    if (event.metaKey || event.ctrlKey) {
      const held = shortcuts.peek().find(({ keys }) => keys === `Ctrl+${event.key.toUpperCase()}`)
      if (!held || event.shiftKey) return
      event.preventDefault()
      return held.run()
    }
    if (isTyping(event.target)) return
    const pair = event.timeStamp - at < PATIENCE_MS ? `${before} ${event.key}` : ''
    const found =
      shortcuts.peek().find(({ keys }) => keys === pair) ?? shortcuts.peek().find(({ keys }) => keys === event.key)
    before = event.key
    at = event.timeStamp
    if (!found) return
    event.preventDefault()
    before = ''
    found.run()
  })
}

/** Puts the cursor into the search field of the page, if it has one. */
export function focusSearch(): void {
  document.querySelector<HTMLInputElement>('main :is(input[type="search"], .user-search input)')?.focus()
}
