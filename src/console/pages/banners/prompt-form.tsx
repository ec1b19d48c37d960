import { type Answer, api, asked } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import { bodyOf, fieldsOf, isObject, type Values, valuesOf } from '../../forms/table.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import type { Option } from '../../parts/field.tsx'
import { toast } from '../../parts/overlays.tsx'
import { command, piped } from '../../parts/shell-words.ts'
import { Card, Note } from '../../parts/surfaces.tsx'
import { navigate } from '../../state/router.ts'
import { BellView, BesideView, PromptView } from './visitor-view.tsx'
import { BOX_COLORS, eventRow, seen, waitRow } from './words.ts'

type Prompt = Answer<typeof ONE>
type Type = Prompt['type']
const ONE = '/admin/v1/apps/{appId}/prompts/{name}'
type Part = Record<string, unknown>

const POSITIONS: Record<Type, Option[]> = {
  bell: row.choices({ 'bottom-right': 'Bottom right', 'bottom-left': 'Bottom left' }),
  alert: row.choices({ center: 'Middle', top: 'Top' }),
  banner: row.choices({ top: 'Top', bottom: 'Bottom' }),
}
const BELL_COLORS = { fg: '#ffffff', bg: '#1753d8' }
const isBell = ({ type }: Values) => type === 'bell'
const isBox = (values: Values) => !isBell(values)

/** Rows of a prompt. The interface calls the member `box` by the type of the prompt. */
const PROMPT = row.table<Part>()(
  row.text('name', 'Name', {
    path: '',
    hint: 'For your team.',
    sample: 'welcome',
    isMono: true,
    autoFocus: true,
    check: (name) =>
      /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name.trim()) ? undefined : 'Use letters, digits, - and _ only.',
    from: (_, { name }) => name as string,
  }),
  row.radio('type', 'Kind', {
    first: 'alert',
    look: 'cards',
    options: [
      { value: 'alert', label: 'Box', about: 'In the middle of the page' },
      { value: 'banner', label: 'Strip', about: 'Along an edge of the page' },
      { value: 'bell', label: 'Bell', about: 'A button in a corner' },
    ],
  }),
  row.select('position', 'Where', {
    first: 'center',
    from: (stored, { type }) => (stored as string | undefined) ?? POSITIONS[type as Type][0]!.value,
  }),
  row.where(
    isBell,
    row.text('labels.tooltip.subscribe', 'Text beside the bell', { isAsTyped: true, first: 'Get notifications' }),
  ),
  row.where(
    isBox,
    row.text('labels.box.heading', 'Heading', seen),
    row.area('labels.box.body', 'Text', { ...seen, rows: 2 }),
    row.halves(
      row.text('labels.box.acceptAction', 'Yes', { ...seen, first: 'Yes, please' }),
      row.text('labels.box.declineAction', 'No', { ...seen, first: 'Not now' }),
    ),
  ),
  row.text('labels.thanksForSubscribing', 'Thanks', {
    isAsTyped: true,
    first: 'Thanks for subscribing!',
    hint: 'Shown after a yes.',
  }),
  row.more('Colours', [
    row.halves(
      row.color('colors.box.fg', 'Text colour', { first: BOX_COLORS.fg }),
      row.color('colors.box.bg', 'Background', { first: BOX_COLORS.bg }),
      row.color('colors.box.acceptActionFg', 'Text of yes', { first: BOX_COLORS.acceptActionFg, when: isBox }),
      row.color('colors.box.acceptActionBg', 'Background of yes', { first: BOX_COLORS.acceptActionBg, when: isBox }),
      row.color('colors.box.declineActionFg', 'Text of no', { first: BOX_COLORS.declineActionFg, when: isBox }),
      row.color('colors.box.declineActionBg', 'Background of no', { first: BOX_COLORS.declineActionBg, when: isBox }),
    ),
  ]),
  row.more('When', [eventRow, waitRow, row.own('trigger.filters', undefined as unknown, { empty: 'absent' })]),
)

const partOf = (value: unknown): Part => (isObject(value) ? value : {})

/** The prompt as the rows have it. */
function boxed({ name, type, design }: Prompt): Part {
  const { labels, colors } = design
  const usual = type === 'bell' ? BELL_COLORS : {}
  return {
    ...design,
    name,
    type,
    labels: { ...partOf(labels), box: partOf(labels)[type] },
    colors: { box: { ...usual, ...partOf(partOf(colors)[type]) } },
  }
}

/** The parts of the file that the form has; the others stay as they are. */
function designOf({ labels, colors, ...rest }: Part, type: Type): Part {
  const { box, ...others } = partOf(labels)
  return {
    ...rest,
    labels: { ...others, ...(box !== undefined && { [type]: box }) },
    colors: { [type]: partOf(colors)['box'] },
  }
}

/** A new prompt, or with `prompt` the change of one, beside what visitors see. */
export function PromptForm({ appId, prompt }: { appId: number; prompt?: Prompt }) {
  const all = `/apps/${appId}/banners`
  const form = useTable(PROMPT, {
    of: prompt && boxed(prompt),
    edits: prompt && { before: prompt, read: () => api.get(ONE, { path: { appId, name: prompt.name } }) },
    draft: `prompt-${appId}-${prompt?.name ?? ''}`,
    names: ({ type }) =>
      Object.fromEntries(fieldsOf(PROMPT).map(({ at, path }) => [path.replace('.box.', `.${type}.`), at])),
    call: (body, { name, type }) =>
      asked(prompt ? 'patch' : 'post', ONE, { path: { appId, name: name.trim() }, body: designOf(body, type as Type) }),
    done() {
      toast(prompt ? 'The prompt is changed. Browsers show it so within an hour.' : 'The prompt is there.')
      navigate(all)
    },
  })
  const values = form.values.value
  const type = values.type as Type
  const into = command`prompts ${prompt ? 'update' : 'create'} --app ${appId} ${form.shown.name.trim()} --file -`
  return (
    <div class="banner-editor">
      <Card>
        <TableForm
          form={form}
          submitLabel={prompt ? 'Save the prompt' : 'Create the prompt'}
          cancel={all}
          command={piped(form.call?.body, into)}
          extras={{
            ...(prompt && { name: null }),
            type: { onChange: (next: Type) => form.set(turned(type, next)) },
            position: { options: POSITIONS[type] },
            ...(type === 'bell' && { 'colors.box.fg': { label: 'The bell' } }),
          }}
        >
          {prompt && prompt.type !== type && (
            <Note
              tone="warn"
              title="Another kind begins anew: channels, overlays and pictures of the old one are dropped."
            />
          )}
        </TableForm>
      </Card>
      <BesideView>
        <Seen values={values} />
      </BesideView>
    </div>
  )
}

/** Changes that go with another kind: another place, and between a bell and a box other colours. */
function turned(from: Type, to: Type) {
  const { fg, bg } = to === 'bell' ? BELL_COLORS : BOX_COLORS
  const position = POSITIONS[to][0]!.value
  if (from !== 'bell' && to !== 'bell') return { type: to, position }
  return { ...valuesOf(PROMPT.filter(isColors)), type: to, position, 'colors.box.fg': fg, 'colors.box.bg': bg }
}
const isColors = (row: (typeof PROMPT)[number]) => row.label === 'Colours'

/** A stored prompt as visitors see it. */
export const StoredView = ({ prompt }: { prompt: Prompt }) => <Seen values={valuesOf(PROMPT, boxed(prompt))} />

function Seen({ values }: { values: Values }) {
  const { labels, colors, position } = bodyOf(PROMPT, values) as {
    labels: { box: Parameters<typeof PromptView>[0]['labels']; tooltip: { subscribe: string } }
    colors: { box: typeof BOX_COLORS }
    position: string
  }
  return isBell(values) ? (
    <BellView position={position} tooltip={labels.tooltip.subscribe} colors={colors.box} />
  ) : (
    <PromptView position={position} labels={labels.box} colors={colors.box} />
  )
}
