import { type Signal, useSignal } from '@preact/signals'
import { Plus } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { Button } from '../../../parts/button.tsx'
import { SelectField, TextField } from '../../../parts/field.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Dialog } from '../../../parts/overlays.tsx'
import { Skeleton } from '../../../parts/surfaces.tsx'
import { type Given, OTHER, sentence, useOffered } from './offered.ts'
import { LOOKS, looksLikeTemplate, type Picked, pathBelow, piecesOf, spliced, wordsOf, written } from './template.ts'

/** A text into which values can be put. */
export interface Text {
  value: string
  /** Name of its field for people. */
  label: string
  change(text: string): void
  /** A value can only fill a part of it. */
  isAddress?: boolean
}

/** The context that all pickers of a form have in common. */
export interface Picking {
  appId: number
  given: Given
  /** Effect on whoever lacks a value that has no other text. */
  whenMissing: 'skip' | 'empty'
  /** Makes the texts those of each person: called with the first value. */
  personalize(): void
}

type PickerProps = Picking & Text

/** Members for a field whose text may hold values: the button beside its label, and its text in readable form below. */
export function withValues(picking: Picking, text: Text, hint?: ComponentChildren) {
  const change = (to: string) => {
    text.change(to)
    picking.personalize()
  }
  const props = { ...picking, ...text, change }
  return {
    aside: <InsertValue {...props} />,
    ...(looksLikeTemplate(text.value) ? { hint: <Readable {...props} /> } : hint !== undefined && { hint }),
  }
}

/** A button that puts a value where the cursor is in the field of its label. */
function InsertValue(props: PickerProps) {
  const at = useRef<HTMLSpanElement>(null)
  const isOpen = useSignal(false)
  const insert = (picked: Picked) => {
    // Not one of the dialog, which is drawn beside the label.
    const field = at.current
      ?.closest('.field')
      ?.querySelector<HTMLInputElement | HTMLTextAreaElement>(':scope > textarea, :scope > .affixed > input')
    const { value, change } = props
    const [start, end] = [field?.selectionStart ?? value.length, field?.selectionEnd ?? value.length]
    const part = written(picked)
    change(spliced(value, start, end, part))
    // The dialog gives the focus back to the button first.
    requestAnimationFrame(() => {
      field?.focus()
      field?.setSelectionRange(start + part.length, start + part.length)
    })
  }
  return (
    <span ref={at} class="push-insert">
      <button
        type="button"
        class="push-insert-button"
        aria-label={`Insert a value into ${props.label}`}
        onClick={() => (isOpen.value = true)}
      >
        <Icon of={Plus} size="small" />
        <span class="long">Insert a value</span>
        <span class="short">Value</span>
      </button>
      {isOpen.value && (
        <ValueDialog {...props} action="Insert it" onDone={insert} onClose={() => (isOpen.value = false)} />
      )}
    </span>
  )
}

/** The text with its values in words. A value can be pressed and changed. */
function Readable(props: PickerProps) {
  const { value: text, change } = props
  return (
    <span class="push-readable">
      <span class="hidden">It reads: </span>
      {piecesOf(text).map((piece, i) =>
        piece.kind === 'text' ? (
          piece.text
        ) : piece.kind === 'logic' || piece.picked === undefined ? (
          <code key={i} class="push-value own">
            {piece.source}
          </code>
        ) : (
          <Chip
            key={i}
            {...props}
            picked={piece.picked}
            onDone={(picked) => change(spliced(text, piece.start, piece.end, written(picked)))}
            onRemove={() => change(spliced(text, piece.start, piece.end, ''))}
          />
        ),
      )}
    </span>
  )
}

type ChipProps = PickerProps & { picked: Picked; onDone(picked: Picked): void; onRemove(): void }

function Chip(props: ChipProps) {
  const isOpen = useSignal(false)
  const { path, fallback } = props.picked
  return (
    <>
      <button type="button" class="push-value" onClick={() => (isOpen.value = true)}>
        {wordsOf(path)}
        {fallback !== '' && <span class="quiet"> or “{fallback}”</span>}
      </button>
      {isOpen.value && <ValueDialog {...props} action="Change it" onClose={() => (isOpen.value = false)} />}
    </>
  )
}

type DialogProps = PickerProps & {
  action: string
  picked?: Picked
  onDone(picked: Picked): void
  onRemove?(): void
  onClose(): void
}

/** Chooses a value, its look, and the text for whoever lacks it. */
function ValueDialog(props: DialogProps) {
  const { label, action, onDone, onRemove, onClose } = props
  const picked = useSignal<Picked>(props.picked ?? { path: '', look: '', fallback: '' })
  const other = useSignal('')
  const { path } = picked.value
  const named = other.value.trim()
  const whole = path === OTHER ? (named === '' ? '' : pathBelow(OTHER, named)) : path
  const end = (act: () => void) => {
    onClose()
    act()
  }
  return (
    <Dialog title={props.picked ? `Change the value in ${label}` : `Insert a value into ${label}`} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          event.stopPropagation()
          if (whole !== '') end(() => onDone({ ...picked.peek(), path: whole }))
        }}
      >
        <ValueFields {...props} chosen={picked} other={other} />
        <div class="dialog-foot">
          {onRemove ? (
            <Button tone="danger" onClick={() => end(onRemove)}>
              Remove it
            </Button>
          ) : (
            <Button onClick={onClose}>Cancel</Button>
          )}
          <Button type="submit" tone="primary" isOff={whole === ''}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

interface ValueFieldsProps extends Picking, Pick<Text, 'isAddress'> {
  chosen: Signal<Picked>
  /** Name of an attribute that is not offered. */
  other: Signal<string>
}

function ValueFields({ appId, given, whenMissing, isAddress = false, chosen, other }: ValueFieldsProps) {
  const options = useOffered(appId, given).value.value
  const { path, look, fallback } = chosen.value
  const set = (changes: Partial<Picked>) => (chosen.value = { ...chosen.peek(), ...changes })
  if (options === undefined) return <Skeleton lines={3} />
  const isListed = path === '' || options.some(({ value }) => value === path)
  return (
    <>
      <SelectField
        label="Value"
        value={path}
        onChange={(value) => set({ path: value })}
        options={[
          { value: '', label: 'Choose a value' },
          ...(isListed ? [] : [{ value: path, label: sentence(wordsOf(path)) }]),
          ...options,
        ]}
      />
      {path === OTHER && (
        <TextField
          label="Name of the attribute"
          value={other.value}
          onChange={(name) => (other.value = name)}
          isMono
          hint="As the app or your server sets it, such as firstName."
        />
      )}
      <TextField
        label="If it is missing"
        isOptional
        value={fallback}
        placeholder="friend"
        onChange={(text) => set({ fallback: text })}
        hint={effectOf(fallback, whenMissing)}
      />
      {isAddress ? (
        <p class="field-hint">
          It fills a part of the link behind the host. Only a value of{' '}
          {given.meta === undefined ? '' : 'this push or of '}a look-up can be a whole link.
        </p>
      ) : (
        <SelectField label="Look" value={look} onChange={(value) => set({ look: value })} options={LOOKS} />
      )}
    </>
  )
}

const effectOf = (fallback: string, whenMissing: Picking['whenMissing']): string =>
  fallback !== ''
    ? `Whoever lacks it reads “${fallback}”.`
    : whenMissing === 'skip'
      ? 'Without a text here, whoever lacks it gets nothing.'
      : 'Without a text here, nothing stands in its place.'
