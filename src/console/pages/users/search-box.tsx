import { useSignal } from '@preact/signals'
import { Search, SlidersHorizontal, Smartphone, UserRound } from 'lucide'
import { useEffect, useId, useRef } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { isCancelled } from '../../api/errors.ts'
import { Icon } from '../../parts/icon.tsx'
import { navigate, query, setQuery } from '../../state/router.ts'
import type { Suggestion } from './types.ts'

const PAUSE_MS = 120
const ICONS = { user: UserRound, install: Smartphone, attribute: SlidersHorizontal } as const

/** Asks for suggestions after a pause. Returns a function that cancels it. */
function suggest(appId: number, q: string, found: (items: readonly Suggestion[]) => void): () => void {
  const controller = new AbortController()
  const timer = setTimeout(() => {
    api
      .get('/admin/v1/apps/{appId}/profiles/suggestions', { path: { appId }, query: { q }, signal: controller.signal })
      // The search itself says what is wrong.
      .then(
        ({ items }) => found(items),
        (error: unknown) => void (isCancelled(error) || found([])),
      )
  }, PAUSE_MS)
  return () => {
    clearTimeout(timer)
    controller.abort()
  }
}

/**
 * A field that searches identifiers, install ids and attributes. Suggestions come a moment after the last key, and the next key
 * cancels a pending request. Enter searches, arrow keys choose a suggestion.
 */
export function SearchBox({ appId, isMasked }: { appId: number; isMasked: boolean }) {
  const id = useId()
  const q = query.value.get('q') ?? ''
  const text = useSignal(q)
  const offers = useSignal<readonly Suggestion[]>([])
  const at = useSignal(-1)
  const stop = useRef<() => void>(() => {})
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    text.value = q
  }, [q])
  useEffect(() => () => stop.current(), [])

  const close = () => {
    stop.current()
    offers.value = []
    at.value = -1
  }
  const ask = (value: string) => {
    text.value = value
    close()
    if (value.trim() === '') return setQuery({ q: undefined })
    stop.current = suggest(appId, value, (items) => void (offers.value = items))
  }
  const search = () => {
    close()
    setQuery({ q: text.peek().trim() || undefined })
  }
  const choose = (offer: Suggestion) => {
    close()
    if (offer.kind !== 'attribute') return navigate(`/apps/${appId}/users/${offer.id}`)
    text.value = offer.text ?? ''
    if (offer.value === null) {
      field.current?.focus()
      ask(text.peek())
    } else search()
  }
  const onKey = (event: KeyboardEvent) => {
    const all = offers.peek()
    if (event.key === 'Enter') {
      const chosen = all[at.peek()]
      if (chosen) choose(chosen)
      else search()
    } else if (event.key === 'Escape' && all.length > 0) close()
    else if (event.key === 'ArrowDown') at.value = Math.min(at.peek() + 1, all.length - 1)
    else if (event.key === 'ArrowUp') at.value = Math.max(at.peek() - 1, -1)
    else return
    event.preventDefault()
  }
  const shown = offers.value
  return (
    <div class="user-search combo affixed">
      <Icon of={Search} />
      <input
        ref={field}
        class="input"
        role="combobox"
        aria-label="Find users"
        aria-expanded={shown.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={at.value >= 0 ? `${id}-${at.value}` : undefined}
        placeholder={isMasked ? 'Whole identifier or install id' : 'Identifier, install id, or plan = gold'}
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onInput={(event) => ask(event.currentTarget.value)}
        onKeyDown={onKey}
        onBlur={close}
      />
      <Offers id={id} offers={shown} chosen={at.value} onChoose={choose} />
    </div>
  )
}

interface OffersProps {
  /** Id of the field, with which the ids of the list and its options begin. */
  id: string
  offers: readonly Suggestion[]
  chosen: number
  onChoose(offer: Suggestion): void
}

/** The list of suggestions below the field. */
function Offers({ id, offers, chosen, onChoose }: OffersProps) {
  return (
    <div id={`${id}-list`} class="combo-list" role="listbox" aria-label="Suggestions" hidden={offers.length === 0}>
      {offers.map((offer, i) => (
        <div
          key={`${offer.kind} ${offer.id ?? offer.text}`}
          id={`${id}-${i}`}
          class="combo-option user-offer"
          role="option"
          aria-selected={i === chosen}
          onPointerDown={(event) => {
            // Before the field loses the focus, which closes the list.
            event.preventDefault()
            onChoose(offer)
          }}
        >
          <Icon of={ICONS[offer.kind]} size="small" />
          <span class="user-name">{nameOf(offer)}</span>
          <span class="quiet small-text">{WORDS[offer.kind]}</span>
        </div>
      ))}
    </div>
  )
}

const WORDS = { user: 'user', install: 'device', attribute: 'attribute' } as const

const nameOf = (offer: Suggestion): string => offer.identifier ?? offer.installId ?? offer.text ?? ''
