/**
 * An Expo app with pushes, an inbox and in-app messages. As `App.tsx` of `npx create-expo-app --template blank-typescript`, after
 *
 *     npx expo install expo-notifications expo-task-manager expo-crypto @react-native-async-storage/async-storage react-native-webview
 */
import { expo, type FrameProps, type InboxItem, type PushState, start } from '@appsvc/react-native'
import AsyncStorage from '@react-native-async-storage/async-storage'
import { randomUUID } from 'expo-crypto'
import * as Notifications from 'expo-notifications'
import * as TaskManager from 'expo-task-manager'
import { useEffect, useState } from 'react'
import { AppState, Button, FlatList, Linking, Modal, Platform, Text, View } from 'react-native'
import { WebView } from 'react-native-webview'

export const app = start({
  url: 'https://app.example.com',
  apiKey: 'API_KEY',
  secretKey: 'SECRET_KEY',
  native: { AppState, Linking, Platform },
  storage: AsyncStorage,
  push: expo(Notifications),
  app: { bundle: 'com.example.bakery', version: '1.0.0', isDebug: __DEV__ },
  linkHosts: ['LINK_HOST'],
  randomUUID,
})

// Pushes that come while the app is in the background or gone.
TaskManager.defineTask('appsvc', ({ data }) => app.push.inBackground(data))
Notifications.registerTaskAsync('appsvc').catch(console.warn)

export default function App() {
  const [push, setPush] = useState<PushState>()
  const [items, setItems] = useState<InboxItem[]>([])
  const [opened, setOpened] = useState('')

  useEffect(() => {
    const load = () => void app.inbox.list().then(setItems)
    load()
    void app.push.state().then(setPush)
    const ends = [
      app.on('push.changed', setPush),
      app.on('push.opened', ({ url, data }) => setOpened(url ?? JSON.stringify(data))),
      app.on('link', (link) => link.state === 'matched' && setOpened(JSON.stringify(link.data))),
      app.on('inbox.changed', load),
    ]
    return () => ends.forEach((end) => end())
  }, [])

  return (
    <View>
      {push?.state === 'subscribed' ? (
        <Text>You get our news.</Text>
      ) : (
        <Button title="Get our news" onPress={() => void app.push.ask().then(setPush)} />
      )}
      <Text>{push?.why}</Text>
      <Button title="I am Anna" onPress={() => void app.user.is('anna')} />
      <Text>{opened}</Text>
      <FlatList
        data={items}
        keyExtractor={({ id }) => String(id)}
        renderItem={({ item }) => <Text onPress={() => void app.inbox.open(item.id)}>{item.title}</Text>}
      />
      <InApp />
    </View>
  )
}

/** In-app messages, above everything else. */
function InApp() {
  const [frame, setFrame] = useState<FrameProps | null>(app.inApp.frame)
  useEffect(() => app.on('in-app.changed', setFrame), [])
  return (
    <Modal transparent visible={frame !== null}>
      {frame && <WebView {...frame} />}
    </Modal>
  )
}
