import { useSignal } from '@preact/signals'
import { Search } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { isCancelled, messageOf } from '../api/errors.ts'
import { describe, FieldFrame } from './field.tsx'
import { Icon } from './icon.tsx'

interface ComboboxProps<T> {
  label: string
  hint?: ComponentChildren
  error?: string | undefined
  name?: string
  placeholder?: string
  /** Finds what fits; called a moment after the last key, and cancelled by the next one. */
  find(text: string, signal: AbortSignal): Promise<readonly T[]>
  keyOf(item: T): string | number
  /** Draws an item in the list. */
  show(item: T): ComponentChildren
  /** The text in the field once an item is chosen; default: the field is emptied for the next one. */
  textOf?(item: T): string
  onChoose(item: T): void
  /** Shows what fits an empty text as soon as the field is there. */
  isOpenAtOnce?: boolean
}

const PAUSE_MS = 150

/** Asks `find` after a pause, and cancels what an earlier text asked for. */
function useFound<T>(find: ComboboxProps<T>['find']) {
  const found = useSignal<readonly T[] | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  const at = useSignal(-1)
  const stop = useRef<() => void>(() => {})
  useEffect(() => () => stop.current(), [])
  const search = (text: string) => {
    stop.current()
    const controller = new AbortController()
    const timer = setTimeout(() => {
      find(text, controller.signal).then(
        (items) => {
          found.value = items
          problem.value = undefined
          at.value = items.length > 0 ? 0 : -1
        },
        (error: unknown) => {
          if (!isCancelled(error)) problem.value = messageOf(error)
        },
      )
    }, PAUSE_MS)
    stop.current = () => {
      clearTimeout(timer)
      controller.abort()
    }
  }
  const close = () => {
    stop.current()
    found.value = undefined
  }
  return { found, problem, at, search, close }
}

/** A field that searches while people type; arrow keys, Enter and Escape work. */
export function Combobox<T>(props: ComboboxProps<T>) {
  const id = useId()
  const text = useSignal('')
  const list = useRef<HTMLDivElement>(null)
  const { found, problem, at, search, close } = useFound(props.find)
  useEffect(() => {
    // Somebody may have typed before this runs.
    if (props.isOpenAtOnce) search(text.peek())
  }, [])
  const choose = (item: T) => {
    close()
    text.value = props.textOf?.(item) ?? ''
    props.onChoose(item)
  }
  const onKey = (event: KeyboardEvent) => {
    const items = found.peek()
    if (items === undefined) {
      if (event.key === 'ArrowDown') search(text.peek())
      return
    }
    if (event.key === 'Escape') {
      close()
      // The list is all that its dialog has: the key is for both.
      if (props.isOpenAtOnce) return
    } else if (event.key === 'Enter') {
      if (items[at.peek()] !== undefined) choose(items[at.peek()]!)
    } else if (event.key === 'ArrowDown') at.value = Math.min(at.peek() + 1, items.length - 1)
    else if (event.key === 'ArrowUp') at.value = Math.max(at.peek() - 1, 0)
    else return
    event.preventDefault()
    list.current?.children[at.peek()]?.scrollIntoView({ block: 'nearest' })
  }
  const items = found.value
  return (
    <FieldFrame label={props.label} hint={props.hint} error={problem.value ?? props.error} id={id}>
      <div class="combo affixed">
        <Icon of={Search} />
        <input
          {...describe(id, { hint: props.hint, error: problem.value ?? props.error })}
          class="input"
          role="combobox"
          aria-expanded={items !== undefined}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={at.value >= 0 && items ? `${id}-${at.value}` : undefined}
          placeholder={props.placeholder}
          autocomplete="off"
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value
            search(text.value)
          }}
          onKeyDown={onKey}
          onBlur={close}
        />
        <div
          ref={list}
          id={`${id}-list`}
          class="combo-list"
          role="listbox"
          aria-label={props.label}
          hidden={items === undefined}
        >
          {items?.map((item, i) => (
            <div
              key={props.keyOf(item)}
              id={`${id}-${i}`}
              class="combo-option"
              role="option"
              aria-selected={i === at.value}
              onPointerDown={(event) => {
                // Before the field loses the focus, which closes the list.
                event.preventDefault()
                choose(item)
              }}
            >
              {props.show(item)}
            </div>
          ))}
          {items?.length === 0 && (
            <div class="combo-option" role="option" aria-selected="false" aria-disabled="true">
              Nothing found
            </div>
          )}
        </div>
      </div>
    </FieldFrame>
  )
}
