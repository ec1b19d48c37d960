import type { SnippetValues } from '../doctor/quickstart.ts'

/** Code to paste, by which an app or a server begins. */
export interface Snippet {
  name: SnippetName
  /** The place where it is pasted, for people. */
  label: string
  /** The things that have to be there besides. */
  about: string
  /** Path of the page of the handbook. */
  page: string
  files: { name: string; text: string }[]
}

/** Places for which there is a snippet. */
export const SNIPPET_NAMES = ['web', 'expo', 'server', 'curl'] as const
export type SnippetName = (typeof SNIPPET_NAMES)[number]

const WRITERS: Readonly<Record<SnippetName, (values: SnippetValues) => Omit<Snippet, 'name'>>> = {
  web: ({ url, apiKey, secretKey }) => ({
    label: 'Web page',
    about: 'Two files of your website, which is opened by https or on localhost. The app needs the gateway Web Push.',
    page: 'docs/clients/web.md',
    files: [
      {
        name: 'index.html',
        text: `<!doctype html>
<button id="ask">Tell me the news</button>
<script type="module">
  import { appsvc } from ${quoted(`${url}/sdk/v1/appsvc.js`)}

  const app = appsvc.start({
    url: ${quoted(url)},
    apiKey: ${quoted(apiKey)},
    secretKey: ${quoted(secretKey)},
  })
  const ask = document.querySelector('#ask')
  ask.onclick = async () => {
    const { state, why } = await app.push.ask()
    ask.textContent = why ?? state
  }
</script>`,
      },
      { name: 'appsvc-worker.js', text: `importScripts(${quoted(`${url}/sdk/v1/worker.js`)})` },
    ],
  }),
  expo: ({ url, apiKey, secretKey }) => ({
    label: 'Expo',
    about:
      'The App.tsx of a new app. Install its packages first with npx expo install, and @appsvc/react-native. A phone must reach this address, ' +
      'and the app needs the gateway of its platform.',
    page: 'docs/clients/react-native.md',
    files: [
      {
        name: 'App.tsx',
        text: `import { expo, start } from '@appsvc/react-native'
import AsyncStorage from '@react-native-async-storage/async-storage'
import { randomUUID } from 'expo-crypto'
import * as Notifications from 'expo-notifications'
import { useState } from 'react'
import { AppState, Button, Linking, Platform, View } from 'react-native'

export const app = start({
  url: ${quoted(url)},
  apiKey: ${quoted(apiKey)},
  secretKey: ${quoted(secretKey)},
  native: { AppState, Linking, Platform },
  storage: AsyncStorage,
  push: expo(Notifications),
  app: { bundle: 'com.example.app', version: '1.0.0', isDebug: __DEV__ },
  randomUUID,
})

export default function App() {
  const [title, setTitle] = useState('Tell me the news')
  const ask = async () => {
    const { state, why } = await app.push.ask()
    setTitle(why ?? state)
  }
  return (
    <View style={{ flex: 1, justifyContent: 'center' }}>
      <Button title={title} onPress={ask} />
    </View>
  )
}`,
      },
    ],
  }),
  server: ({ url, apiKey, serverKey }) => ({
    label: 'Server',
    about:
      'For Node, Deno, Bun and workers, with the package @appsvc/server. Keep the server key out of the code, in an environment variable.',
    page: 'docs/clients/server.md',
    files: [
      {
        name: 'send.mjs',
        text: `import { appsvc } from '@appsvc/server'

const app = appsvc({
  url: ${quoted(url)},
  apiKey: ${quoted(apiKey)},
  serverKey: ${quoted(serverKey)},
})
const result = await app.notifications.send({
  target: { userIds: ['anna'] },
  content: { title: 'Hello', message: 'It works.' },
})
console.log(result.accepted ? result.sent : result.errors)`,
      },
    ],
  }),
  curl: ({ url, apiKey, serverKey }) => ({
    label: 'curl',
    about: 'A push to one user, from any shell.',
    page: 'docs/sending.md',
    files: [
      {
        name: 'send.sh',
        text: `curl ${url}/messages/v2/notifications \\
  -u ${apiKey}:${serverKey} \\
  -H 'Content-Type: application/json' \\
  -d '{"target": {"userIds": ["anna"]}, "content": {"title": "Hello", "message": "It works."}}'`,
      },
    ],
  }),
}

/** A text of JavaScript. Addresses and keys have no quotes and line ends. */
const quoted = (text: string) => `'${text}'`

/** Writes the snippet for each place. */
export const snippetsFor = (values: SnippetValues): Snippet[] =>
  SNIPPET_NAMES.map((name) => ({ name, ...WRITERS[name](values) }))
