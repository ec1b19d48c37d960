import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { query, setQuery } from '../state/router.ts'

export interface TabItem {
  /** Value in the address: `?tab=installs`. */
  name: string
  label: string
  panel(): ComponentChildren
}

/** Several views of one thing; the address keeps which one is open. Arrow keys move. */
export function Tabs({ items, label, param = 'tab' }: { items: readonly TabItem[]; label: string; param?: string }) {
  const id = useId()
  const bar = useRef<HTMLDivElement>(null)
  const wanted = query.value.get(param)
  const open = items.find(({ name }) => name === wanted) ?? items[0]!
  const choose = (item: TabItem) => setQuery({ [param]: item === items[0] ? undefined : item.name })
  const onKey = (event: KeyboardEvent) => {
    const isRtl = getComputedStyle(bar.current!).direction === 'rtl'
    const step = { ArrowRight: isRtl ? -1 : 1, ArrowLeft: isRtl ? 1 : -1 }[event.key]
    const at = items.indexOf(open)
    const to =
      step === undefined ? { Home: 0, End: items.length - 1 }[event.key] : (at + step + items.length) % items.length
    if (to === undefined) return
    event.preventDefault()
    choose(items[to]!)
    bar.current!.querySelectorAll<HTMLElement>('[role="tab"]')[to]?.focus()
  }
  return (
    <div>
      <div ref={bar} class="tabs" role="tablist" aria-label={label} onKeyDown={onKey}>
        {items.map((item) => (
          <button
            key={item.name}
            type="button"
            class="tab"
            role="tab"
            id={`${id}-${item.name}`}
            aria-selected={item === open}
            aria-controls={`${id}-panel`}
            tabIndex={item === open ? 0 : -1}
            onClick={() => choose(item)}
          >
            {item.label}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${open.name}`} key={open.name}>
        {open.panel()}
      </div>
    </div>
  )
}
