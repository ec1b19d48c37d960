import { type Answer, api, asked, type Body } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import { valuesOf } from '../../forms/table.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { toast } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'

const RESTRAINT = '/admin/v1/apps/{appId}/restraint'
type Rules = Body<typeof RESTRAINT, 'put'>
/** Ways of a field whose empty value is sent as null. */
const orNone = { isOptional: true, empty: 'null' } as const

/** The rules, with the flags of `apps restrain` for those that have one field. */
const FORM = row.table<Rules>()(
  row.part('Quiet hours', [
    row.halves(
      row.text('from', 'From', { ...orNone, path: 'quietHours.from', placeholder: '22:00' }),
      row.text('to', 'Until', { ...orNone, path: 'quietHours.to', placeholder: '07:00' }),
    ),
    row.select('after', 'Whoever would get a push then', {
      path: 'quietHours.then',
      first: 'drop',
      options: row.choices({ drop: 'gets nothing', hold: 'gets it when they end' }),
      hint: 'The hours are those where the phone is. Leave both empty for none.',
    }),
  ]),
  row.part('Frequency cap', [
    row.halves(
      row.number('count', 'Pushes at most', { ...orNone, path: 'frequencyCap.count', min: 1, max: 1000 }),
      row.number('hours', 'In any', { ...orNone, path: 'frequencyCap.hours', min: 1, max: 8760, unit: 'hours' }),
    ),
  ]),
  row.part('Other rules', [
    row.number('confirmAbove', 'Ask for the number of recipients above', {
      ...orNone,
      min: 0,
      flag: 'confirm-above',
      off: 'off',
      unit: 'recipients',
      hint: 'Whoever sends to more of them has to type how many.',
    }),
    row.select('deviceChannels', 'Channels that devices create', {
      flag: 'device-channels',
      options: row.choices({ private: 'Their subscribers see them', public: 'Every device sees them' }),
    }),
    row.text('languageAttribute', 'Language attribute', {
      ...orNone,
      flag: 'language-attribute',
      off: '--no-language-attribute',
      placeholder: 'language',
      hint: 'The attribute of users that says which language they read, such as language or profile.language. Without it the language of their phone counts.',
      isMono: true,
    }),
  ]),
)

interface Props {
  appId: number
  rules: Answer<typeof RESTRAINT>
  onSaved(rules: Answer<typeof RESTRAINT>): void
}

/** The rules of an app, each of which may be off. */
export function RestraintForm({ appId, rules, onSaved }: Props) {
  const path = { appId }
  const form = useTable(FORM, {
    of: rules,
    read: () => api.get(RESTRAINT, { path }),
    draft: `restraint-${appId}`,
    call: (body) => asked('put', RESTRAINT, { path, body: withoutEmpty(body) }),
    done(saved) {
      onSaved(saved)
      form.reset(valuesOf(FORM, saved))
      toast('The rules are saved.')
    },
  })
  const { from, to, after, count, hours } = form.shown
  const quiet =
    from === '' && to === '' ? ['--quiet-hours', 'off'] : ['--quiet-hours', `${from}-${to}`, '--then', after]
  const cap = count === null && hours === null ? 'off' : `${count}/${hours}h`
  return (
    <TableForm
      form={form}
      submitLabel="Save the rules"
      command={command`apps restrain ${appId} ${quiet} --cap ${cap} ${form.flags}`}
    />
  )
}

/** The rules with null for those whose fields are all empty. */
function withoutEmpty({ quietHours: quiet, frequencyCap: cap, ...others }: Rules): Rules {
  return {
    ...others,
    quietHours: quiet?.from || quiet?.to ? quiet : null,
    frequencyCap: cap?.count != null || cap?.hours != null ? cap : null,
  }
}
