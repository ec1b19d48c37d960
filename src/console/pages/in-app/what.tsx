import { type Loaded, useGet } from '../../api/load.ts'
import { Fields } from '../../forms/fields.tsx'
import { useLabelHint } from '../../forms/labels.tsx'
import { Button } from '../../parts/button.tsx'
import { Reading } from '../../parts/reading.tsx'
import { Card, Note } from '../../parts/surfaces.tsx'
import { More } from '../../parts/values.tsx'
import { href } from '../../state/router.ts'
import { CoverageOf } from '../push/personal/coverage.tsx'
import { type Picking, withValues } from '../push/personal/insert.tsx'
import { LookUps } from '../push/personal/look-ups.tsx'
import { errorAt, isPersonal, whenMissingOf } from '../push/personal/rows.ts'
import { type Tag, type Template, textOf } from '../templates/document.ts'
import type { Estimate } from './answers.ts'
import { type ComposeForm, INBOX, isNeeded, PERSONAL, placeOf, RULES, TEMPLATE } from './draft.ts'
import { isLongTag, TagField } from './tag-field.tsx'

interface WhatProps {
  appId: number
  form: ComposeForm
  template: Loaded<Template>
  picking: Picking
  /** The estimate with a sample of what people get. */
  covered: Loaded<Estimate>
}

/** Texts of the inbox entry that may hold values. */
const ENTRY = [
  { at: 'inboxTitle', label: 'the title in the inbox', isAddress: false },
  { at: 'inboxSubtitle', label: 'the line below it', isAddress: false },
  { at: 'inboxImage', label: 'the link to its picture', isAddress: true },
] as const

/** The second card: which template, with which words. */
export function What({ appId, form, template, picking, covered }: WhatProps) {
  const draft = form.values.value
  const purposes = useGet('/admin/v1/apps/{appId}/purposes', { path: { appId } })
  const named = (purposes.value.value?.purposes ?? []).map(({ uid, name }) => ({ value: uid, label: name }))
  const entry = ENTRY.map(({ at, ...text }) => {
    const { value } = form.field(at)
    return [at, withValues(picking, { ...text, value, change: (to) => form.set({ [at]: to }) })] as const
  })
  return (
    <Card title="What">
      <div class="stack">
        <TemplateField appId={appId} form={form} />
        {draft.template !== '' && <TagValues form={form} template={template} picking={picking} />}
        <Fields form={form} rows={PERSONAL} />
        {isPersonal(draft) && <CoverageOf estimate={covered} whenMissing={whenMissingOf(draft)} unit="person" />}
        <LookUps form={form} picking={picking} />
        <Fields form={form} rows={INBOX} extras={Object.fromEntries(entry)} />
        <Fields
          form={form}
          rows={RULES}
          extras={{
            labels: useLabelHint(appId, draft.labels, (labels) => form.set({ labels })),
            purpose: named.length === 0 ? null : { options: [{ value: '', label: 'None' }, ...named] },
          }}
        />
      </div>
    </Card>
  )
}

/** Templates of an app that are offered. */
const MOST = 100

function TemplateField({ appId, form }: { appId: number; form: ComposeForm }) {
  const list = useGet('/admin/v1/apps/{appId}/templates', { path: { appId }, query: { limit: MOST } })
  const { template: chosen } = form.values.value
  return (
    <Reading of={list} lines={1}>
      {({ templates }) => {
        const known = templates.map(({ uid, name }) => ({ value: uid, label: name }))
        const isKnown = chosen === '' || known.some(({ value }) => value === chosen)
        if (known.length === 0 && isKnown)
          return (
            <Note
              title="This app has no template yet."
              actions={
                <Button size="small" href={href(`/apps/${appId}/templates`)}>
                  Create a template
                </Button>
              }
            />
          )
        const options = [
          { value: '', label: 'Choose a template' },
          ...known,
          ...(isKnown ? [] : [{ value: chosen, label: chosen }]),
        ]
        return <Fields form={form} rows={TEMPLATE} extras={{ template: { options } }} />
      }}
    </Reading>
  )
}

interface ValuesProps {
  form: ComposeForm
  template: Loaded<Template>
  picking: Picking
}

/** The fields of the template's tags. Those with a default, and those that may stay empty, are folded in. */
function TagValues({ form, template, picking }: ValuesProps) {
  const { value: values, error, onChange } = form.field('values')
  const field = (sample: Template['sample']) => (tag: Tag) => {
    const place = placeOf(tag.title)
    return (
      <TagField
        key={tag.title}
        tag={tag}
        name={tag.title}
        value={values[tag.title] ?? ''}
        usual={textOf(tag.default)}
        isLong={isLongTag(tag, sample)}
        isOptional={!isNeeded(tag)}
        error={errorAt(form, place)}
        picking={picking}
        onChange={(text) => {
          onChange({ ...values, [tag.title]: text })
          form.forgive([place])
        }}
      />
    )
  }
  return (
    <Reading of={template}>
      {({ tags, sample }) => {
        const others = tags.filter((tag) => !isNeeded(tag))
        const isFilled = others.some(
          ({ title }) => (values[title] ?? '') !== '' || errorAt(form, placeOf(title)) !== undefined,
        )
        return (
          <>
            {tags.filter(isNeeded).map(field(sample))}
            {error !== undefined && <Note tone="bad" title={error} />}
            {others.length > 0 && (
              <More label={`${others.length} more with a default`} isOpen={isFilled}>
                <div class="stack">{others.map(field(sample))}</div>
              </More>
            )}
          </>
        )
      }}
    </Reading>
  )
}
