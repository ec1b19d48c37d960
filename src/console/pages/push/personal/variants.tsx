import { Languages as LanguagesIcon, Trash2 } from 'lucide'
import type { ComponentChildren } from 'preact'
import { api } from '../../../api/client.ts'
import { useLoad } from '../../../api/load.ts'
import { Fields } from '../../../forms/fields.tsx'
import { boundTo } from '../../../forms/table.ts'
import { Button, IconButton } from '../../../parts/button.tsx'
import { Combobox } from '../../../parts/combobox.tsx'
import { FieldError } from '../../../parts/field.tsx'
import { PLATFORMS } from '../../../parts/platforms.ts'
import { Card } from '../../../parts/surfaces.tsx'
import { usePaused } from '../../../parts/use-paused.ts'
import { Meter } from '../../../parts/values.tsx'
import { type Compose, sayingSoFar } from '../draft.ts'
import { Buttons } from './buttons.tsx'
import { type Coverage, languageCounts } from './coverage-words.ts'
import { type Picking, withValues } from './insert.tsx'
import { languagesFor, MOST_LANGUAGES, nameOfLanguage, PLACE, type Variant } from './languages.ts'
import { errorAt, VARIANT } from './rows.ts'
import { bodyIn } from './size-of.ts'
import { readable } from './template.ts'

interface CardProps {
  /** Languages that there are. */
  tags: readonly string[]
  /** The number of recipients of each in words, by its tag or `default`. */
  counts: ReadonlyMap<string, string>
  error: string | undefined
  /** The place of the default content, for a sentence: "The text above". */
  other: string
  part(tag: string): ComponentChildren
  add(tag: string): void
}

/** The card with the content in other languages, side by side. */
export function LanguagesCard({ tags, counts, error, other, part, add }: CardProps) {
  const others = counts.get('default')
  return (
    <Card
      title="Languages"
      about="Each person gets the one that fits: by the attribute that the rules of the app name, else by the language of the phone."
    >
      <div class="stack">
        {tags.length > 0 && <div class="push-variants">{tags.map(part)}</div>}
        {others !== undefined && tags.length > 0 && (
          <p class="field-hint">
            {other} goes to everybody else: {others}.
          </p>
        )}
        <FieldError id="languages" error={error} />
        {tags.length < MOST_LANGUAGES && (
          <Combobox
            label="Add a language"
            placeholder="German, or a tag such as pt-BR"
            find={async (text) => languagesFor(text, tags)}
            keyOf={({ tag }) => tag}
            show={({ tag, name }) => (
              <>
                {name} <span class="quiet small-text">{tag}</span>
              </>
            )}
            onChoose={({ tag }) => add(tag)}
          />
        )}
      </div>
    </Card>
  )
}

interface FrameProps {
  tag: string
  /** The number of its recipients in words. */
  count: string | undefined
  /** An error about the language as a whole. */
  error: string | undefined
  remove(): void
  children: ComponentChildren
}

/** One language of the card. */
export function VariantFrame({ tag, count, error, remove, children }: FrameProps) {
  const name = nameOfLanguage(tag)
  return (
    <fieldset class="settings-part push-variant">
      <legend>
        {name} <span class="quiet small-text push-tag">{tag}</span>
      </legend>
      <div class="row spread">
        <span class="quiet small-text">{count === undefined ? '' : `Goes to ${count}`}</span>
        <IconButton icon={Trash2} size="small" label={`Remove ${name}`} onClick={remove} />
      </div>
      <FieldError id={`language-${tag}`} error={error} />
      {children}
    </fieldset>
  )
}

interface LanguagesProps {
  form: Compose
  picking: Picking
  coverage: Coverage | undefined
  recipients: number
}

/** The content of a push in other languages. */
export function Languages({ form, picking, coverage, recipients }: LanguagesProps) {
  const { value: languages, error } = form.field(PLACE)
  const counts = languageCounts(coverage, recipients)
  return (
    <LanguagesCard
      tags={Object.keys(languages)}
      counts={counts}
      error={error}
      other="The text above"
      part={(tag) => <VariantPart key={tag} tag={tag} form={form} picking={picking} count={counts.get(tag)} />}
      add={(tag) => form.set({ [PLACE]: { ...languages, [tag]: { title: '', message: '' } } })}
    />
  )
}

interface VariantProps {
  tag: string
  form: Compose
  picking: Picking
  count: string | undefined
}

/** The content in one language. */
function VariantPart({ tag, form, picking, count }: VariantProps) {
  const { [PLACE]: languages, ...draft } = form.values.value
  const variant = languages[tag]!
  const name = nameOfLanguage(tag)
  const at = `${PLACE}.${tag}`
  const set = (part: Variant | undefined, place = '') => {
    const { [tag]: _, ...others } = languages
    form.set({ [PLACE]: part ? { ...languages, [tag]: part } : others })
    form.forgive([at, `${at}.${place}`])
  }
  const errors = Object.fromEntries(
    ['title', 'message', 'url', 'pictureUrl', 'subtitle', 'data'].map((field) => [
      field,
      errorAt(form, `${at}.${field}`),
    ]),
  )
  const bound = boundTo(VARIANT, variant, set, errors)
  /** The default text, which translators read, or which stands where they write nothing. */
  const defaults: Record<string, string> = {
    title: draft['content.title'],
    message: draft['content.message'],
    url: draft['content.url'],
    pictureUrl: draft.picture,
    subtitle: draft['ios.subtitle'],
  }
  const extraOf = (
    field: 'title' | 'message' | 'url' | 'pictureUrl' | 'subtitle',
    label: string,
    isAddress = false,
  ) => {
    const { value, onChange } = bound.field(field)
    const text = { value, label: `${label} in ${name}`, change: (to: string) => onChange(to), isAddress }
    return { placeholder: readable(defaults[field] ?? ''), ...withValues(picking, text) }
  }
  return (
    <VariantFrame tag={tag} count={count} error={errorAt(form, at)} remove={() => set(undefined)}>
      <Fields
        form={bound}
        rows={VARIANT}
        extras={{
          title: extraOf('title', 'the title'),
          message: extraOf('message', 'the message'),
          url: extraOf('url', 'the link', true),
          pictureUrl: extraOf('pictureUrl', 'the link to the picture', true),
          subtitle: extraOf('subtitle', 'the subtitle'),
          buttons: () => (
            <VariantButtons
              id={`${at}.buttons`}
              variant={variant}
              defaults={draft.buttons}
              error={errorAt(form, `${at}.buttons`)}
              picking={picking}
              change={(buttons) => set(withButtons(variant, buttons), 'buttons')}
            />
          ),
        }}
      />
      <Size tag={tag} form={form} picking={picking} />
    </VariantFrame>
  )
}

/** The variant with other buttons; without any of its own it has those of the default content. */
function withButtons(variant: Variant, buttons: readonly { id: string; text: string }[]): Variant {
  const { buttons: _, ...others } = variant
  return buttons.length === 0 ? others : { ...others, buttons: [...buttons] }
}

interface VariantButtonsProps {
  id: string
  variant: Variant
  defaults: readonly { id: string; text: string }[]
  error: string | undefined
  picking: Picking
  change(buttons: readonly { id: string; text: string }[]): void
}

/** Buttons of a language: those of the default content until somebody translates them. */
function VariantButtons({ id, variant, defaults, error, picking, change }: VariantButtonsProps) {
  const own = variant.buttons ?? []
  if (own.length === 0 && defaults.length > 0) {
    return (
      <div>
        <Button size="small" icon={LanguagesIcon} onClick={() => change(defaults)}>
          Translate the buttons
        </Button>
      </div>
    )
  }
  return <Buttons id={id} buttons={own} error={error} picking={picking} change={change} />
}

const PAUSE_MS = 600
const PAYLOADS = '/admin/v1/apps/{appId}/notifications/payloads'

/** The size of the content in one language on the platform that is nearest to its limit. */
function Size({ tag, form, picking: { appId } }: { tag: string; form: Compose; picking: Picking }) {
  const said = usePaused(bodyIn(sayingSoFar(form.values.value), tag), PAUSE_MS)
  const answer = useLoad(
    said === ''
      ? null
      : (signal) =>
          api.post(PAYLOADS, { path: { appId }, query: { language: tag }, body: JSON.parse(said) as never, signal }),
    [appId, said],
  )
  const { items = [], rendered } = answer.value.value ?? {}
  const able = items.flatMap(({ platform, configured }) => (configured ? [platform] : []))
  const sizes = (rendered?.gateways ?? [])
    .filter(({ platform }) => able.length === 0 || able.includes(platform))
    .map(({ platform, request }) => ({ platform, ...request }))
  const [largest] = sizes.sort((a, b) => b.bytes / b.limit - a.bytes / a.limit)
  // It takes its room from the beginning.
  return (
    <div class="push-variant-size">
      {largest && (
        <Meter
          label={PLATFORMS[largest.platform].name}
          value={largest.bytes}
          max={largest.limit}
          text={`${largest.bytes.toLocaleString()} of ${largest.limit.toLocaleString()} bytes`}
        />
      )}
    </div>
  )
}
