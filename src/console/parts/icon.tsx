import type { IconNode } from 'lucide'
import { h } from 'preact'

interface IconProps {
  /** A picture of Lucide: `import { House } from 'lucide'`. */
  of: IconNode
  size?: 'small' | 'large' | undefined
  /** Mirrors the picture where text runs from right to left, because it points somewhere. */
  flips?: boolean
}

/** A picture beside words, hidden from screen readers: the words say it. */
export function Icon({ of, size, flips = false }: IconProps) {
  return (
    <svg class={`icon ${size ?? ''} ${flips ? 'flips' : ''}`} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      {of.map(([tag, attributes], i) => h(tag, { key: i, ...attributes }))}
    </svg>
  )
}
