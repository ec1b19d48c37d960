import { useSignal } from '@preact/signals'
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide'
import { type Answer, api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { Icon } from '../../parts/icon.tsx'
import { command } from '../../parts/shell-words.ts'
import { Card, Failed, Note } from '../../parts/surfaces.tsx'
import { More } from '../../parts/values.tsx'
import { type LinkSettings, shortUrl } from './words.ts'

type Check = Answer<'/admin/v1/apps/{appId}/link-check'>
type Level = Check['findings'][number]['level']

const LIGHTS: Record<Level, { icon: typeof CircleCheck; tone: string; word: string }> = {
  ok: { icon: CircleCheck, tone: 'good', word: 'In order' },
  warning: { icon: TriangleAlert, tone: 'warn', word: 'Look at this' },
  error: { icon: CircleAlert, tone: 'bad', word: 'Does not work' },
}

/** Checks the host as Apple and Google do, and says what to do about each finding. */
export function DomainCheck({ appId, settings }: { appId: number; settings: LinkSettings }) {
  const found = useSignal<Check | undefined>(undefined)
  const error = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const check = async () => {
    isBusy.value = true
    error.value = undefined
    try {
      found.value = await api.get('/admin/v1/apps/{appId}/link-check', { path: { appId } })
    } catch (thrown) {
      error.value = thrown
    } finally {
      isBusy.value = false
    }
  }
  const host = new URL(settings.links).host
  return (
    <Card
      title="Do phones find it?"
      about={`Links begin with ${shortUrl(settings.links)}`}
      actions={
        <Button isBusy={isBusy.value} onClick={() => void check()}>
          {found.value ? 'Check again' : 'Check now'}
        </Button>
      }
    >
      <div class="stack" aria-live="polite">
        {error.value !== undefined ? (
          <Failed error={error.value} retry={() => void check()} />
        ) : isBusy.value ? (
          <p class="quiet">Asking DNS, the certificate and the two association files. This takes up to 16 seconds.</p>
        ) : found.value === undefined ? (
          <p class="quiet">
            The check asks for what iPhones and Android phones ask for before they open links in the app: DNS, the
            certificate, and a file for each system.
          </p>
        ) : found.value.domain === null ? (
          <Note tone="warn" title="The links have no host of their own.">
            They work in browsers, but phones open links in the app only on a host that belongs to it. Give a host name
            below, such as go.example.com.
          </Note>
        ) : (
          <ul class="findings">
            {found.value.findings.map(({ level, what, remedy }) => (
              <li key={what} class={`finding ${LIGHTS[level].tone}`}>
                <Icon of={LIGHTS[level].icon} />
                <div>
                  <strong>
                    <span class="hidden">{LIGHTS[level].word}: </span>
                    {sentence(what)}
                  </strong>
                  {remedy !== undefined && <p>{sentence(remedyHere(remedy))}</p>}
                </div>
              </li>
            ))}
          </ul>
        )}
        <More label="As command">
          <Code text={command`links check ${host}`} label="Copy the command" wraps />
        </More>
      </div>
    </Card>
  )
}

/** Names at the beginning stay as they are: host names, files and commands. */
const sentence = (text: string): string =>
  /^[a-z]+ /.test(text) && !text.startsWith('appsvc') ? text.charAt(0).toUpperCase() + text.slice(1) : text

/** Remedies that name a command of the link settings, as this page has them. */
function remedyHere(remedy: string): string {
  if (!remedy.startsWith('appsvc links settings')) return remedy
  if (remedy.includes('--ios-team')) return 'Give the Apple team id and a bundle id below.'
  if (remedy.includes('--android-package')) return 'Give the package name and a fingerprint below.'
  return 'Give the host name below.'
}
