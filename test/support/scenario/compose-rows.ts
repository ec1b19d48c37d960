import { addPerson } from '../people.ts'
import { type Row, row, rowOf } from './row.ts'
import type { Stage } from './stage.ts'

/** Calls of people to the admin interface while they compose a push. */

const CONTENT = { title: 'T', message: 'M' }
/** Differs between recipients. */
const PERSONAL = {
  personalize: {},
  content: {
    title: "{{ user.attributes.plan | default: 'T' }} {{ install.os }}",
    message: '{{ app.name }}',
    languages: { de: { title: 'T', message: 'M' } },
  },
}
/** An in-app message that differs between users. */
const IN_APP = {
  template: 'plain',
  personalize: {},
  languages: { de: {} },
  data: { plan: "{{ user.attributes.plan | default: 'none' }}" },
}
const PUSH = { target: { userIds: ['user-1'] }, content: CONTENT }
const LATER = { sendAt: '2027-01-01 12:00', strategy: 'local', pastTimes: 'ignore' }
const WALKS = 'walks the audience'

const people = new WeakMap<Stage, Promise<string[]>>()
/** Tokens of two people. */
const tokensOf = (s: Stage) => {
  const known =
    people.get(s) ??
    Promise.all([addPerson(s.program), addPerson(s.program)]).then((all) => all.map((one) => one.token))
  people.set(s, known)
  return known
}

async function call<T = { id: number }>(s: Stage, method: string, path: string, body?: unknown, who = 0): Promise<T> {
  const token = (await tokensOf(s))[who]!
  return s.call<T & Record<string, unknown> & { id: number; uuid: string }>(
    method,
    `/admin/v1/apps/${s.first.id}${path}`,
    { auth: 'none', headers: { authorization: `Bearer ${token}` }, ...(body !== undefined && { body }) },
  )
}

const asks = (s: Stage) => call(s, 'POST', '/approvals', PUSH)
const device = (s: Stage) => call(s, 'POST', '/test-devices', { name: 'D', installId: `install-${s.some()}` })
/** A device whose user agreed to in-app messages. */
const shownDevice = (s: Stage) =>
  call(s, 'POST', '/test-devices', { name: 'D', installId: `install-${s.some() & ~1 || 2}` })
const drops = (s: Stage, { id }: { id: number }) => call(s, 'DELETE', `/test-devices/${id}`)
const declines = (s: Stage, { id }: { id: number }) => call(s, 'DELETE', `/approvals/${id}`)
const callsOff = (s: Stage, id: number) => call(s, 'DELETE', `/scheduled-notifications/${id}`)
const of = (method: string, path: string) => `${method} admin /v1/apps/:appId${path}`

/** Sends, and calls it off. */
const sends = async (s: Stage, path: string, body: unknown) => {
  const { notification } = await call<{ notification: { id: number } }>(s, 'POST', path, body)
  await callsOff(s, notification.id)
}

export const COMPOSE_ROWS: readonly Row[] = [
  row(of('post', '/notifications'), (s) => sends(s, '/notifications?undoSeconds=60', PUSH)),
  row(
    of('post', '/notifications/estimate'),
    (s) => call(s, 'POST', '/notifications/estimate', { target: { broadcast: true } }),
    { what: 'everybody', larger: WALKS, most: 3 },
  ),
  row(
    of('post', '/notifications/estimate'),
    (s) =>
      call(s, 'POST', '/notifications/estimate', { target: { broadcast: true }, schedule: LATER, purpose: 'news' }),
    { what: 'by zone and purpose', larger: WALKS, most: 3 },
  ),
  row(
    of('post', '/in-app-messages/estimate'),
    (s) => call(s, 'POST', '/in-app-messages/estimate', { target: { broadcast: true }, purpose: 'news' }),
    { what: 'everybody', larger: WALKS, most: 3 },
  ),
  row(
    of('post', '/notifications/estimate'),
    (s) => call(s, 'POST', '/notifications/estimate?sample=20', { target: { broadcast: true }, ...PERSONAL }),
    { what: 'what a sample gets', larger: WALKS, most: 6 },
  ),
  row(
    of('post', '/notifications/payloads'),
    (s) => call(s, 'POST', `/notifications/payloads?installId=install-${s.some()}&language=de`, PERSONAL),
    { what: 'for an install' },
  ),
  row(of('post', '/notifications/payloads'), (s) => call(s, 'POST', '/notifications/payloads', { content: CONTENT })),
  rowOf(
    of('get', '/notifications/:id/request'),
    async (s) => {
      const { notification } = await call<{ notification: { id: number } }>(
        s,
        'POST',
        '/notifications?undoSeconds=60',
        { ...PUSH, userMeta: { 'user-1': { seat: 1 } } },
      )
      return notification.id
    },
    (s, id) => call(s, 'GET', `/notifications/${id}/request`),
    { after: callsOff },
  ),
  row(
    of('post', '/in-app-messages/estimate'),
    (s) => call(s, 'POST', '/in-app-messages/estimate?sample=20', { target: { broadcast: true }, ...IN_APP }),
    { what: 'what a sample gets', larger: WALKS, most: 6 },
  ),
  row(of('post', '/in-app-messages'), async (s) => {
    const body = { target: { userIds: ['user-2'] }, ...IN_APP, presentedWhen: 'never' }
    const { message } = await call<{ message: { id: number } }>(s, 'POST', '/in-app-messages?undoSeconds=60', body)
    await call(s, 'DELETE', `/in-app-messages/${message.id}`)
  }),
  rowOf(
    of('get', '/in-app-messages/:id/request'),
    async (s) => {
      const body = { target: { userIds: ['user-2'] }, ...IN_APP, presentedWhen: 'never' }
      const { message } = await call<{ message: { id: number } }>(s, 'POST', '/in-app-messages?undoSeconds=60', body)
      return message.id
    },
    (s, id) => call(s, 'GET', `/in-app-messages/${id}/request`),
    { after: async (s, id) => void (await call(s, 'DELETE', `/in-app-messages/${id}`)) },
  ),
  rowOf(
    of('post', '/test-in-app-messages'),
    shownDevice,
    (s, { id }) => call(s, 'POST', '/test-in-app-messages', { devices: [id], ...IN_APP }),
    { after: drops },
  ),
  rowOf(of('get', '/test-devices'), device, (s) => call(s, 'GET', '/test-devices'), { after: drops }),
  rowOf(
    of('post', '/test-devices'),
    async () => ({ id: 0 }),
    async (s, made) => Object.assign(made, await device(s)),
    { after: drops },
  ),
  rowOf(of('delete', '/test-devices/:id'), device, drops),
  rowOf(
    of('post', '/test-pushes'),
    device,
    (s, { id }) => call(s, 'POST', '/test-pushes', { devices: [id], content: CONTENT }),
    { after: drops },
  ),
  row(of('get', '/second-person'), (s) => call(s, 'GET', '/second-person')),
  row(of('put', '/second-person'), (s) => call(s, 'PUT', '/second-person', { required: false })),
  rowOf(of('get', '/approvals'), asks, (s) => call(s, 'GET', '/approvals?state=waiting'), { after: declines }),
  rowOf(
    of('post', '/approvals'),
    async () => ({ id: 0 }),
    async (s, made) => Object.assign(made, await asks(s)),
    { after: declines },
  ),
  rowOf(of('get', '/approvals/:id'), asks, (s, { id }) => call(s, 'GET', `/approvals/${id}`), { after: declines }),
  rowOf(of('post', '/approvals/:id/approve'), asks, async (s, { id }) => {
    const path = `/approvals/${id}/approve?undoSeconds=60`
    await callsOff(s, (await call<{ notificationId: number }>(s, 'POST', path, {}, 1)).notificationId)
  }),
  rowOf(of('delete', '/approvals/:id'), asks, declines),
  row('sweep approvals.forget', ({ program }) => program.inTransaction((tx) => tx.approvals.forget(1000))),
]
