import { useGet } from '../../../api/load.ts'
import { Fields } from '../../../forms/fields.tsx'
import { TextArea, TextField } from '../../../parts/field.tsx'
import { PictureField } from '../../../parts/picture-field.tsx'
import { Reading } from '../../../parts/reading.tsx'
import { Card } from '../../../parts/surfaces.tsx'
import { type Picking, withValues } from '../../push/personal/insert.tsx'
import { nameOfLanguage } from '../../push/personal/languages.ts'
import { errorAt } from '../../push/personal/rows.ts'
import { readable } from '../../push/personal/template.ts'
import type { ComposeForm } from '../draft.ts'
import { OWN, PLACE, PUSH, TEMPLATE } from './rows.ts'

interface Props {
  appId: number
  form: ComposeForm
  picking: Picking
}

const TEXTS = [
  { at: 'notification.title', label: 'the title of the push', isAddress: false },
  { at: 'notification.message', label: 'the message of the push', isAddress: false },
  { at: 'notification.picture', label: 'the link to the picture of the push', isAddress: true },
] as const

/** The card of the push that announces a message. */
export function AnnouncementCard({ appId, form, picking }: Props) {
  const texts = TEXTS.map(({ at, ...text }) => {
    const { value } = form.field(at)
    return [at, withValues(picking, { ...text, value, change: (to) => form.set({ [at]: to }) })] as const
  })
  return (
    <Card title="Push with it" about="It goes to the phones of whoever gets the message, at the same time.">
      <div class="stack">
        <Fields form={form} rows={PUSH} />
        <Fields form={form} rows={OWN} extras={Object.fromEntries(texts)} />
        {form.values.value.push === 'template' && <TemplateField appId={appId} form={form} />}
      </div>
    </Card>
  )
}

/** Push templates of an app that are offered. */
const MOST = 100

function TemplateField({ appId, form }: Pick<Props, 'appId' | 'form'>) {
  const list = useGet('/admin/v1/apps/{appId}/push-templates', { path: { appId }, query: { limit: MOST } })
  const { 'notification.template': chosen } = form.values.value
  return (
    <Reading of={list} lines={1}>
      {({ pushTemplates }) => {
        const known = pushTemplates.map(({ uid, name }) => ({ value: uid, label: name }))
        const isKnown = chosen === '' || known.some(({ value }) => value === chosen)
        const options = [
          { value: '', label: known.length === 0 ? 'This app has no push template yet' : 'Choose a push template' },
          ...known,
          ...(isKnown ? [] : [{ value: chosen, label: chosen }]),
        ]
        return <Fields form={form} rows={TEMPLATE} extras={{ 'notification.template': { options } }} />
      }}
    </Reading>
  )
}

/** The texts of the push in one language. What is left empty altogether is taken from the default. */
export function PushPart({ language, form, picking }: { language: string; form: ComposeForm; picking: Picking }) {
  const draft = form.values.value
  if (draft.push !== 'own') return null
  const { [PLACE]: languages } = draft
  const own = { title: '', message: '', ...languages[language] }
  const partOf = (field: 'title' | 'message' | 'pictureUrl', label: string, usual: string) => {
    const place = `${PLACE}.${language}.${field}`
    const value = own[field] ?? ''
    const onChange = (text: string) => {
      form.set({ [PLACE]: { ...languages, [language]: { ...own, [field]: text } } })
      form.forgive([place, `${PLACE}.${language}`])
    }
    const name = `${label.toLowerCase()} in ${nameOfLanguage(language)}`
    const picked = { value, label: name, change: onChange, isAddress: field === 'pictureUrl' }
    const same = { label, value, error: errorAt(form, place), onChange, placeholder: readable(usual) }
    return { ...same, ...withValues(picking, picked) }
  }
  return (
    <>
      <TextField {...partOf('title', 'Title of the push', draft['notification.title'])} />
      <TextArea {...partOf('message', 'Message of the push', draft['notification.message'])} rows={2} />
      <PictureField {...partOf('pictureUrl', 'Picture of the push', draft['notification.picture'])} isOptional />
    </>
  )
}
