import { useSignal } from '@preact/signals'
import { Card } from '../../parts/surfaces.tsx'
import { currentApp } from '../../state/session.ts'
import { isPersonal } from '../push/personal/rows.ts'
import { ChooseViewer } from '../push/personal/viewer.tsx'
import { MockUp, Toggle } from '../push/preview.tsx'
import { DEVICES, type Device, MessageFrame } from '../templates/frame.tsx'
import { documentOf } from './readable-document.ts'
import type { Writing } from './written.tsx'

const SHOWN: readonly Device[] = ['phone', 'small', 'tablet']

/** The card of how it looks: for everybody, or as a person who can be chosen. */
export function Looks({ writing }: { writing: Writing }) {
  const { appId, form, answers, viewing, tags, template } = writing
  const device = useSignal<Device>('phone')
  const isDark = useSignal(false)
  const isLarge = useSignal(false)
  const draft = form.values.value
  const { viewer, recipients, told, drawn, pushed, problem } = answers
  const document = documentOf(template.value.value, draft, drawn)
  return (
    <Card title="How it looks">
      <div class="stack">
        {isPersonal(draft) && (
          <ChooseViewer
            appId={appId}
            viewing={viewing}
            recipients={recipients}
            viewer={viewer}
            tags={tags}
            rendered={told}
          />
        )}
        <div class="push-tabs" role="group" aria-label="Device">
          {SHOWN.map((name) => (
            <button
              key={name}
              type="button"
              class="push-tab"
              aria-pressed={device.value === name}
              onClick={() => (device.value = name)}
            >
              {DEVICES[name].label}
            </button>
          ))}
        </div>
        <div class="row push-looks">
          <Toggle on={isDark} label="Dark" />
          <Toggle on={isLarge} label="Large text" />
        </div>
        <div class="message-stage">
          {document ? (
            <MessageFrame
              label={`How the message looks on a ${DEVICES[device.value].label.toLowerCase()}`}
              content={document}
              device={device.value}
              look={isDark.value ? 'dark' : 'light'}
              isLargeText={isLarge.value}
            />
          ) : (
            <div class="message-phone waiting">
              <p>{document === null ? 'This person gets nothing.' : 'Choose a template to see the message.'}</p>
            </div>
          )}
        </div>
        {pushed && (
          <MockUp
            platform="ios"
            shown={pushed}
            app={currentApp.value?.name ?? 'App'}
            isDark={isDark.value}
            isOpen={false}
          />
        )}
        {problem !== undefined && (
          <p class="push-problem" role="alert">
            {problem}
          </p>
        )}
      </div>
    </Card>
  )
}
