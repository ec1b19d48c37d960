import { type Answer, api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { NumberField, RadioGroup, SelectField, TextArea, TextField } from '../../parts/field.tsx'
import { Form, useForm } from '../../parts/form.tsx'
import { toast } from '../../parts/overlays.tsx'
import { commandLine } from '../../parts/shell-words.ts'
import { Card, Note } from '../../parts/surfaces.tsx'
import { More } from '../../parts/values.tsx'
import { href, navigate } from '../../shell/router.ts'
import { ColorField } from './color-field.tsx'
import { BellView, PromptView } from './visitor-view.tsx'
import { BOX_COLORS, type BoxColors } from './words.ts'

type Prompt = Answer<'/admin/v1/apps/{appId}/prompts/{name}'>
type Type = Prompt['type']
type Part = Record<string, unknown>

const POSITIONS: Record<Type, { value: string; label: string }[]> = {
  bell: [
    { value: 'bottom-right', label: 'Bottom right' },
    { value: 'bottom-left', label: 'Bottom left' },
  ],
  alert: [
    { value: 'center', label: 'Middle' },
    { value: 'top', label: 'Top' },
  ],
  banner: [
    { value: 'top', label: 'Top' },
    { value: 'bottom', label: 'Bottom' },
  ],
}
const BELL_COLORS = { fg: '#ffffff', bg: '#1753d8' }

interface Values extends BoxColors {
  name: string
  type: Type | ''
  position: string
  tooltip: string
  heading: string
  body: string
  acceptAction: string
  declineAction: string
  thanks: string
  event: string
  afterSeconds: number | null
}

const partOf = (value: unknown): Part => (typeof value === 'object' && value !== null ? (value as Part) : {})
const textOf = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise)

function valuesOf(prompt: Prompt | undefined): Values {
  const type = prompt?.type ?? 'alert'
  const design: Part = prompt?.design ?? {}
  const [labels, trigger] = [partOf(design['labels']), partOf(design['trigger'])]
  const box = partOf(labels[type])
  const colors = { ...BOX_COLORS, ...(type === 'bell' && BELL_COLORS), ...partOf(partOf(design['colors'])[type]) }
  return {
    ...colors,
    name: prompt?.name ?? '',
    type,
    position: textOf(design['position'], POSITIONS[type][0]!.value),
    tooltip: textOf(partOf(labels['tooltip'])['subscribe'], 'Get notifications'),
    heading: textOf(box['heading'], ''),
    body: textOf(box['body'], ''),
    acceptAction: textOf(box['acceptAction'], 'Yes, please'),
    declineAction: textOf(box['declineAction'], 'Not now'),
    thanks: textOf(labels['thanksForSubscribing'], 'Thanks for subscribing!'),
    event: textOf(trigger['event'], 'k.pageViewed'),
    afterSeconds: typeof trigger['afterSeconds'] === 'number' ? trigger['afterSeconds'] : null,
  }
}

/** The parts of the file that the form has; the others stay as they are. */
function bodyOf(values: Values, before: Prompt | undefined): Part {
  const type = values.type || 'alert'
  const { fg, bg, acceptActionFg, acceptActionBg, declineActionFg, declineActionBg } = values
  const { heading, body, acceptAction, declineAction } = values
  const filters = partOf(before?.design['trigger'])['filters']
  const thanks = { thanksForSubscribing: values.thanks }
  return {
    type,
    position: values.position,
    trigger: {
      event: values.event.trim(),
      ...(values.afterSeconds !== null && { afterSeconds: values.afterSeconds }),
      ...(filters !== undefined && { filters }),
    },
    labels:
      type === 'bell'
        ? { ...thanks, tooltip: { subscribe: values.tooltip } }
        : { ...thanks, [type]: { heading, body, acceptAction, declineAction } },
    colors: {
      [type]:
        type === 'bell' ? { fg, bg } : { fg, bg, acceptActionFg, acceptActionBg, declineActionFg, declineActionBg },
    },
  }
}

/** What the interface calls the fields, for each kind. */
function namesOf(type: Type): Record<string, keyof Values> {
  const labels = ['heading', 'body', 'acceptAction', 'declineAction'] as const
  const colors = Object.keys(BOX_COLORS) as (keyof BoxColors)[]
  return {
    ...Object.fromEntries(labels.map((name) => [`labels.${type}.${name}`, name])),
    ...Object.fromEntries(colors.map((name) => [`colors.${type}.${name}`, name])),
    'labels.tooltip.subscribe': 'tooltip',
    'labels.thanksForSubscribing': 'thanks',
    'trigger.event': 'event',
    'trigger.afterSeconds': 'afterSeconds',
  }
}

const need = (text: string) => (text.trim() === '' ? 'People see it: write something.' : undefined)

/** A new prompt, or with `prompt` the change of one, beside what visitors see. */
export function PromptForm({ appId, prompt }: { appId: number; prompt?: Prompt }) {
  const form = useForm<Values>(valuesOf(prompt), {
    draft: `prompt-${appId}-${prompt?.name ?? ''}`,
    edits: prompt && {
      before: prompt,
      read: () => api.get('/admin/v1/apps/{appId}/prompts/{name}', { path: { appId, name: prompt.name } }),
    },
    names: { ...namesOf('bell'), ...namesOf('alert'), ...namesOf('banner') },
    check: ({ name, type, heading, body, acceptAction, declineAction }) => ({
      name: /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name.trim()) ? undefined : 'Use letters, digits, - and _ only.',
      ...(type !== 'bell' && {
        heading: need(heading),
        body: need(body),
        acceptAction: need(acceptAction),
        declineAction: need(declineAction),
      }),
    }),
    submit: async (values) => {
      const path = { appId, name: values.name.trim() }
      const body = bodyOf(values, prompt)
      if (prompt) await api.patch('/admin/v1/apps/{appId}/prompts/{name}', { path, body })
      else await api.post('/admin/v1/apps/{appId}/prompts/{name}', { path, body })
      toast(prompt ? 'The prompt is changed. Browsers show it so within an hour.' : 'The prompt is there.')
      navigate(`/apps/${appId}/banners`)
    },
  })
  const values = form.values.value
  const type = values.type || 'alert'
  const body = bodyOf(values, prompt)
  const name = values.name.trim() || 'welcome'
  const json = JSON.stringify(body).replaceAll("'", `'\\''`)
  const command = commandLine('prompts', prompt ? 'update' : 'create', '--app', appId, name, '--file', '-')
  const { heading, body: text, acceptAction, declineAction } = values
  return (
    <div class="banner-editor">
      <Card>
        <Form
          form={form}
          submitLabel={prompt ? 'Save the prompt' : 'Create the prompt'}
          more={<Button href={href(`/apps/${appId}/banners`)}>Cancel</Button>}
          also={
            <AsCommand
              command={`echo '${json}' | ${command}`}
              call={{ method: prompt ? 'PATCH' : 'POST', path: `/admin/v1/apps/${appId}/prompts/${name}`, body }}
            />
          }
        >
          {!prompt && <TextField {...form.field('name')} label="Name" hint="For your team." isMono autoFocus />}
          <RadioGroup
            {...form.field('type')}
            label="Kind"
            look="cards"
            onChange={(next) => {
              const kind = next || 'alert'
              const colors = kind === 'bell' ? { ...BOX_COLORS, ...BELL_COLORS } : BOX_COLORS
              form.set({
                type: kind,
                position: POSITIONS[kind][0]!.value,
                ...(kind === 'bell' || type === 'bell' ? colors : {}),
              })
            }}
            options={[
              { value: 'alert', label: 'Box', about: 'In the middle of the page' },
              { value: 'banner', label: 'Strip', about: 'Along an edge of the page' },
              { value: 'bell', label: 'Bell', about: 'A button in a corner' },
            ]}
          />
          <SelectField {...form.field('position')} label="Where" options={POSITIONS[type]} />
          {type === 'bell' ? (
            <TextField {...form.field('tooltip')} label="Text beside the bell" />
          ) : (
            <>
              <TextField {...form.field('heading')} label="Heading" />
              <TextArea {...form.field('body')} label="Text" rows={2} />
              <div class="grid halves">
                <TextField {...form.field('acceptAction')} label="Yes" />
                <TextField {...form.field('declineAction')} label="No" />
              </div>
            </>
          )}
          <TextField {...form.field('thanks')} label="Thanks" hint="Shown after a yes." />
          <More label="Colours">
            <div class="grid halves">
              <ColorField {...form.field('fg')} label={type === 'bell' ? 'The bell' : 'Text colour'} />
              <ColorField {...form.field('bg')} label="Ground" />
              {type !== 'bell' && (
                <>
                  <ColorField {...form.field('acceptActionFg')} label="Text of yes" />
                  <ColorField {...form.field('acceptActionBg')} label="Ground of yes" />
                  <ColorField {...form.field('declineActionFg')} label="Text of no" />
                  <ColorField {...form.field('declineActionBg')} label="Ground of no" />
                </>
              )}
            </div>
          </More>
          <More label="When">
            <div class="stack">
              <TextField
                {...form.field('event')}
                label="Event of the page"
                hint="k.pageViewed is every page; your page can track others."
                isMono
              />
              <NumberField {...form.field('afterSeconds')} label="Wait" unit="seconds" min={0} isOptional />
            </div>
          </More>
          {prompt && prompt.type !== type && (
            <Note
              tone="warn"
              title="Another kind begins anew: channels, overlays and pictures of the old one are dropped."
            />
          )}
        </Form>
      </Card>
      <div class="banner-side">
        {type === 'bell' ? (
          <BellView position={values.position} tooltip={values.tooltip} colors={values} />
        ) : (
          <PromptView
            position={values.position}
            labels={{ heading, body: text, acceptAction, declineAction }}
            colors={values}
          />
        )}
        <p class="quiet small-text">As visitors see it, as close as this page can draw it.</p>
      </div>
    </div>
  )
}
