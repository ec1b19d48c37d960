import { useGet } from '../../api/load.ts'
import { Code } from '../../parts/code.tsx'
import { Card } from '../../parts/surfaces.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { serverState } from '../../state/session.ts'

interface SnippetsProps {
  appId: number
  /** API key of the app; undefined when it was made before API keys were stored. */
  apiKey: string | undefined
  /** Known right after it was made only. */
  secretKey: string | undefined
}

/** Code for programs, with the keys of this app filled in. */
export function Snippets({ appId, apiKey = 'API_KEY', secretKey = 'SECRET_KEY' }: SnippetsProps) {
  const states = useGet('/admin/v1/apps/{appId}/gateway-states', { path: { appId } })
  const web = states.value.value?.items.find(({ platform }) => platform === 'web')
  const vapid = web?.facts.find(({ name }) => name === 'publicKey')?.values[0] ?? 'VAPID_PUBLIC_KEY'
  const base = serverState.value?.baseUrl || location.origin
  const snippet = (text: string, about: string) => () => (
    <div class="stack tight">
      <p class="quiet">{about}</p>
      <Code text={text} label="Copy the snippet" />
    </div>
  )
  const addresses = 'The SDK must be built with the addresses of this server.'
  return (
    <Card
      title="Use them"
      about="The API key is filled in. The secret key and the server key are known only when they are made."
    >
      <Tabs
        label="Where"
        param="sdk"
        items={[
          {
            name: 'ios',
            label: 'iOS',
            panel: snippet(
              `let config = KSConfig(apiKey: "${apiKey}", secretKey: "${secretKey}")\nKumulos.initialize(config: config)\nKumulos.pushRequestDeviceToken()`,
              addresses,
            ),
          },
          {
            name: 'android',
            label: 'Android',
            panel: snippet(
              `KumulosConfig config = new KumulosConfig.Builder("${apiKey}", "${secretKey}").build();\nKumulos.initialize(this, config);\nKumulos.pushRegister(this);`,
              addresses,
            ),
          },
          {
            name: 'web',
            label: 'Web',
            panel: snippet(
              `Kumulos.push(['init', {\n  apiKey: '${apiKey}',\n  secretKey: '${secretKey}',\n  vapidPublicKey: '${vapid}',\n  pushPrompts: 'auto',\n}])`,
              web?.state === 'missing'
                ? 'Set up the gateway Web Push first: then its public key stands here.'
                : 'The page also needs a service worker at /worker.js that loads the SDK.',
            ),
          },
          {
            name: 'curl',
            label: 'curl',
            panel: snippet(
              `curl ${base}/messages/v2/notifications \\\n  -u ${apiKey}:$SERVER_KEY \\\n  -H 'Content-Type: application/json' \\\n  -d '{"target": {"userIds": ["anna"]}, "content": {"title": "Hello", "message": "It works."}}'`,
              'Put the server key, or one with the scope Send, into SERVER_KEY.',
            ),
          },
        ]}
      />
    </Card>
  )
}
