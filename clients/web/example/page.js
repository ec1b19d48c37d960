import { appsvc } from 'https://app.example.com/sdk/v1/appsvc.js'

const app = appsvc.start({
  url: 'https://app.example.com',
  apiKey: 'API_KEY',
  secretKey: 'SECRET_KEY',
})

const $ = (id) => document.getElementById(id)
const add = (list, text) => $(list).append(Object.assign(document.createElement('li'), { textContent: text }))

function show({ state, why }) {
  $('state').textContent = state === 'subscribed' ? 'You will hear of it.' : why
  $('ask').hidden = state === 'subscribed'
}

async function showInbox() {
  $('unread').textContent = await app.inbox.unread()
  $('inbox').replaceChildren()
  for (const { title, subtitle } of await app.inbox.list()) add('inbox', `${title} ${subtitle}`)
}

$('ask').addEventListener('click', async () => {
  app.track('bread.wanted', { kind: 'rye' })
  show(await app.push.ask())
})
$('offers').addEventListener('change', ({ target }) => app.consent.set('offers', target.checked))

app.on('push.changed', show)
app.on('push.received', ({ title }) => add('log', `arrived: ${title}`))
app.on('push.opened', ({ title, data }) => add('log', `opened: ${title} ${JSON.stringify(data)}`))
app.on('inbox.changed', showInbox)

await app.user.is('baker')
show(await app.push.state())
await showInbox()
