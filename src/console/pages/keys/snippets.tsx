import { useGet } from '../../api/load.ts'
import { Code } from '../../parts/code.tsx'
import { Reading } from '../../parts/reading.tsx'
import { Card } from '../../parts/surfaces.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { serverState } from '../../state/session.ts'

interface SnippetsProps {
  appId: number
  /** Known right after they were made only. */
  secretKey?: string | undefined
  serverKey?: string | undefined
}

/** Code to begin with, for this app. */
export function Snippets({ appId, secretKey, serverKey }: SnippetsProps) {
  const loaded = useGet('/admin/v1/apps/{appId}/quickstart', { path: { appId } })
  const quickstart = loaded.value.value
  const fill = (text: string, url: string) =>
    text
      // Without an address of its own in the settings, the server is where this page comes from.
      .replaceAll(url, serverState.value?.baseUrl || location.origin)
      .replaceAll('SECRET_KEY', secretKey ?? 'SECRET_KEY')
      .replaceAll('SERVER_KEY', serverKey ?? 'SERVER_KEY')
  return (
    <Card title="Code to begin with" about={secretKey === undefined ? PART : WHOLE}>
      {quickstart === undefined ? (
        <Reading of={loaded} lines={6} />
      ) : (
        <Tabs
          label="Where"
          param="sdk"
          items={quickstart.snippets.map(({ name, label, about, files }) => ({
            name,
            label,
            panel: () => (
              <div class="stack tight">
                <p class="quiet">{about}</p>
                {files.map((file) => (
                  <div key={file.name} class="stack tight">
                    <p class="mono">{file.name}</p>
                    <Code text={fill(file.text, quickstart.url)} label={`Copy ${file.name}`} />
                  </div>
                ))}
                <p class="quiet">
                  <a href="/docs">The documentation of this server</a> has every call.
                </p>
              </div>
            ),
          }))}
        />
      )}
    </Card>
  )
}

const PART =
  'The address and the API key are filled in. The secret key and the server key are known only when they are created.'
const WHOLE = 'The address and the keys are filled in: the secret key and the server key this once.'
