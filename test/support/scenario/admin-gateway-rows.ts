import { type Row, row, rowOf } from './row.ts'
import type { CallHow, Stage } from './stage.ts'

/** Calls of people about gateways, keys and webhooks. */

const AT = '/admin/v1/apps'
const covers = (method: string, path: string) => `${method} admin /v1/apps/:appId${path}`
const call = (s: Stage, method: string, path: string, how: CallHow = {}) =>
  s.call(method.toUpperCase(), `${AT}/${s.first.id}${path}`, { auth: 'person', ...how })
const by = (method: string, path: string, how: CallHow = {}, shown = path): Row =>
  row(covers(method, shown), (s) => call(s, method, path, how))

/** The status of calls that are refused before any statement of theirs: this server has no sandbox. */
const NO_SANDBOX = 409

export const ADMIN_GATEWAY_ROWS: readonly Row[] = [
  by('get', '/gateway-states'),
  by('get', '/gateways/web', {}, '/gateways/:platform'),
  by('post', '/gateways/recognise', { body: { web: {} } }),
  // The gateway is not configured: nothing leaves the machine.
  by('post', '/gateways/safari/check', { expect: 404 }, '/gateways/:platform/check'),
  row(covers('post', '/push-tries'), async (s) => {
    const [install] = await s.program.crm.listInstalls(s.first.id, s.some() - 1, 1)
    return call(s, 'post', '/push-tries', { body: { to: install!.installId } })
  }),
  by('post', '/sandbox', { expect: NO_SANDBOX }),
  by('post', '/sandbox/phones', { body: { kind: 'iphone' }, expect: NO_SANDBOX }),
  by('get', '/keys'),
  by('post', '/keys', { body: { kind: 'rest', scope: ['read'] } }),
  rowOf(
    covers('delete', '/keys/:id'),
    (s) => s.program.inTransaction((tx) => tx.serverKeys.create(s.first.id, { permissions: ['send'] })),
    (s, { id }) => call(s, 'delete', `/keys/${id}`),
  ),
  by('post', '/keys/secret/rotate', { body: { graceSeconds: 86_400 } }, '/keys/:kind/rotate'),
  row(
    covers('post', '/keys/:kind/rotate'),
    (s) => call(s, 'post', '/keys/signing/rotate', { body: { graceSeconds: 86_400 } }),
    { what: 'of signing' },
  ),
  by('get', '/signed-users'),
  by('put', '/signed-users', { body: { mode: 'optional' } }),
  by('post', '/webhooks/999/test', { expect: 404 }, '/webhooks/:id/test'),
]
