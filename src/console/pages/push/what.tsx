import { Plus, Trash2 } from 'lucide'
import { api } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { FieldError, NumberField, SelectField, Switch, TextArea, TextField } from '../../parts/field.tsx'
import { JsonField } from '../../parts/json-field.tsx'
import { Card } from '../../parts/surfaces.tsx'
import { More } from '../../parts/values.tsx'
import type { Compose } from './compose-form.ts'

/** More do not fit on any device. */
const MOST_BUTTONS = 5

/** The second card: what it says. */
export function What({ appId, form }: { appId: number; form: Compose }) {
  return (
    <Card title="What">
      <div class="stack">
        <TextField {...form.field('content.title')} label="Title" placeholder="Fresh bread" />
        <TextArea
          {...form.field('content.message')}
          label="Message"
          rows={3}
          placeholder="Out of the oven until six."
        />
        <TextField
          {...form.field('content.url')}
          label="Address"
          isOptional
          type="url"
          placeholder="https://"
          hint="What a tap opens. Without it, the app."
        />
        <Buttons form={form} />
        <More label="Picture, badge and data" isOpen={hasMore(form)}>
          <div class="stack">
            <TextField
              {...form.field('picture')}
              label="Address of a picture"
              isOptional
              type="url"
              placeholder="https://"
            />
            <div class="grid halves">
              <NumberField {...form.field('ios.badge')} label="Badge on iOS" isOptional hint="0 takes it away." />
              <SelectField
                {...form.field('badgeType')}
                label="This number"
                options={[
                  { value: 'setTo', label: 'replaces the badge' },
                  { value: 'incrementBy', label: 'is added to the badge' },
                ]}
              />
            </div>
            <JsonField
              {...form.field('content.data')}
              label="Data for the app"
              rows={4}
              hint="An object of your own."
            />
          </div>
        </More>
        <More label="Only on iOS" isOpen={isGiven(form, 'ios.', ['ios.badge'])}>
          <div class="stack">
            <TextField
              {...form.field('ios.subtitle')}
              label="Subtitle"
              isOptional
              hint="A line between title and message."
            />
            <SelectField
              {...form.field('ios.interruptionLevel')}
              label="How far it may interrupt"
              options={[
                { value: '', label: 'As usual' },
                { value: 'passive', label: 'Passive: the screen stays dark' },
                { value: 'active', label: 'Active: the screen lights up' },
                { value: 'time-sensitive', label: 'Time-sensitive: passes a Focus' },
                { value: 'critical', label: 'Critical: sounds although muted' },
              ]}
            />
            <div class="grid halves">
              <TextField
                {...form.field('ios.threadId')}
                label="Thread"
                isOptional
                hint="Pushes of a thread stand together."
              />
              <TextField
                {...form.field('ios.category')}
                label="Category"
                isOptional
                hint="One that the app registered."
              />
              <TextField
                {...form.field('ios.sound')}
                label="Sound"
                isOptional
                hint="A file in the app; none for silence."
              />
              <NumberField
                {...form.field('ios.relevanceScore')}
                label="Relevance"
                isOptional
                min={0}
                max={1}
                step={0.1}
                hint="From 0 to 1: which push of the app a summary shows first."
              />
              <TextField
                {...form.field('ios.targetContentId')}
                label="Window"
                isOptional
                hint="The window of the app that opens."
              />
              <SelectField
                {...form.field('ios.priority')}
                label="Priority"
                options={[
                  { value: '', label: 'As usual' },
                  { value: '10', label: '10: at once' },
                  { value: '5', label: '5: when it suits the battery' },
                  { value: '1', label: '1: never wakes the device' },
                ]}
              />
            </div>
            <Switch
              {...form.field('ios.sound.critical')}
              label="Critical sound"
              hint="Sounds although the phone is muted. Apple must have allowed it to the app."
            />
            {form.values.value['ios.sound.critical'] && (
              <NumberField
                {...form.field('ios.sound.volume')}
                label="Volume"
                isOptional
                min={0}
                max={1}
                step={0.1}
                hint="From 0 to 1."
              />
            )}
          </div>
        </More>
        <More label="Only on Android and Huawei" isOpen={isGiven(form, 'android.')}>
          <div class="stack">
            <TextField
              {...form.field('android.pictureUrl')}
              label="Address of another picture"
              isOptional
              type="url"
              placeholder="https://"
              hint="Instead of the one for all devices."
            />
            <div class="grid halves">
              <TextField
                {...form.field('android.channelId')}
                label="Notification channel"
                isOptional
                hint="An id that the app made."
              />
              <SelectField
                {...form.field('android.importance')}
                label="Importance"
                options={[
                  { value: '', label: 'As usual' },
                  { value: 'default', label: 'Default' },
                  { value: 'high', label: 'High: may appear on top' },
                ]}
              />
              <TextField {...form.field('android.sound')} label="Sound" isOptional hint="A raw resource of the app." />
            </div>
            <Switch {...form.field('android.highPriority')} label="Wake sleeping devices" />
          </div>
        </More>
        <Purpose appId={appId} form={form} />
        <More label="For the app and your reports" isOpen={isForPrograms(form)}>
          <div class="stack">
            <Switch
              {...form.field('runBackgroundHandler')}
              label="Wake the app in the background"
              hint="Its handler runs. Without title and message nothing is shown."
            />
            <JsonField
              {...form.field('reportingMeta')}
              label="Data for your reports"
              rows={3}
              hint="An object. It comes back with events about this push; devices do not get it."
            />
            <JsonField
              {...form.field('userMeta')}
              label="Data of single users"
              rows={3}
              hint="An object by user id. What is there for a user comes back with the events of that user."
            />
          </div>
        </More>
      </div>
    </Card>
  )
}

function hasMore(form: Compose): boolean {
  const { picture, 'ios.badge': badge, 'content.data': data } = form.values.peek()
  return picture !== '' || badge !== null || Object.keys((data as object | null) ?? {}).length > 0
}

/** Whether any field is filled in whose name begins like this. */
function isGiven(form: Compose, start: string, without: readonly string[] = []): boolean {
  return Object.entries(form.values.peek()).some(
    ([name, value]) =>
      name.startsWith(start) && !without.includes(name) && value !== '' && value !== null && value !== false,
  )
}

function isForPrograms(form: Compose): boolean {
  const { runBackgroundHandler, reportingMeta, userMeta } = form.values.peek()
  const says = (value: unknown) => Object.keys((value as object | null | undefined) ?? {}).length > 0
  return runBackgroundHandler || says(reportingMeta) || says(userMeta)
}

function Buttons({ form }: { form: Compose }) {
  const { value: buttons, error } = form.field('buttons')
  const change = (i: number, text: string) =>
    form.set({ buttons: buttons.map((one, at) => (at === i ? { ...one, text } : one)) })
  return (
    <div class="field">
      {buttons.map((button, i) => (
        <div key={i} class="push-button-row">
          <TextField label={`Button ${i + 1}`} value={button.text} onChange={(text) => change(i, text)} />
          <IconButton
            icon={Trash2}
            label={`Remove button ${i + 1}`}
            onClick={() => form.set({ buttons: buttons.filter((_, at) => at !== i) })}
          />
        </div>
      ))}
      <FieldError id="buttons" error={error} />
      {buttons.length < MOST_BUTTONS && (
        <div>
          <Button
            size="small"
            icon={Plus}
            onClick={() => form.set({ buttons: [...buttons, { id: `button-${buttons.length + 1}`, text: '' }] })}
          >
            Add a button
          </Button>
        </div>
      )}
    </div>
  )
}

/** Under which purpose it is sent, where the app has purposes. */
function Purpose({ appId, form }: { appId: number; form: Compose }) {
  const purposes = useLoad((signal) => api.get('/admin/v1/apps/{appId}/purposes', { path: { appId }, signal }), [appId])
  const all = purposes.value.value?.purposes ?? []
  const { purpose, isTransactional, collapseId } = form.values.peek()
  return (
    <More label="Purpose and rules" isOpen={purpose !== '' || isTransactional || collapseId !== ''}>
      <div class="stack">
        {all.length > 0 && (
          <SelectField
            {...form.field('purpose')}
            label="Purpose"
            hint="Who refused pushes of this purpose gets nothing."
            options={[{ value: '', label: 'None' }, ...all.map(({ uid, name }) => ({ value: uid, label: name }))]}
          />
        )}
        <Switch
          {...form.field('isTransactional')}
          label="Something that the person waits for"
          hint="Passes quiet hours, the frequency cap and purposes. Never for advertising."
        />
        <TextField
          {...form.field('collapseId')}
          label="Replaces"
          isOptional
          hint="A later push with the same word takes the place of this one on the device."
        />
      </div>
    </More>
  )
}
