import { list, object, string, told, type Words } from '../../present/schema.ts'
import { ERROR } from '../../present/words.ts'
import { failure } from './shared.ts'
import type { createTeller } from './tell.ts'
import type { Operation } from './types.ts'

const HEALTH_STATUS: Words = ['The state.', 'ok']

/** The doors beside the routes: they belong to no area and need no key. */

export const DOORS_TAG = { name: 'operations', description: 'Health and metrics, for whoever runs the service' }

const health = object('Health', 'The process is alive.', { status: told({ const: 'ok' }, HEALTH_STATUS) })
const warnings = told(list(string), 'What works but needs attention, a sentence each.', [
  'ios: the certificate expires in 12 days',
])
const ready = {
  ...object('Readiness', 'The process can take requests.', { status: told({ const: 'ready' }, HEALTH_STATUS) }),
}
const properties = { ...(ready.properties as object), warnings }
const notReady = object('NotReady', 'The process cannot take requests.', { error: told(string, ERROR) })

export function doorsOf({ tell }: ReturnType<typeof createTeller>): Record<string, { get: Operation }> {
  const json = (schema: Parameters<typeof tell>[0], example: unknown) => ({
    content: { 'application/json': { schema: tell(schema), example } },
  })
  const door = (operationId: string, summary: string, description: string, responses: Operation['responses']) => ({
    get: { operationId, tags: [DOORS_TAG.name] as [string], summary, description, security: [], responses },
  })
  const otherwise = {
    // Said by Node itself, before any of this is asked.
    431: { description: 'The headers of the request are too large' },
    default: failure('Any other failure'),
  }
  return {
    '/healthz': door(
      'getHealthz',
      'Check that the process is alive',
      'Answers as long as the process can. Use it as a liveness probe; it looks at nothing else.',
      { 200: { description: 'Alive', ...json(health, { status: 'ok' }) }, ...otherwise },
    ),
    '/readyz': door(
      'getReadyz',
      'Check that the process can take requests',
      'Asks the database and lists known faults. Use it as a readiness probe. Faults that keep the process from sending, but not ' +
        'from taking requests, are listed in `warnings`.',
      {
        200: { description: 'Ready', ...json({ ...ready, properties }, { status: 'ready' }) },
        503: {
          ...failure('Not ready; the body says why', 503),
          ...json(
            { ...notReady, properties: { ...(notReady.properties as object), warnings } },
            { error: 'the database does not answer' },
          ),
        },
        ...otherwise,
      },
    ),
    '/metrics': door(
      'getMetrics',
      'Read metrics in the text format of Prometheus',
      'Answers addresses in the setting `metrics.allow`, by default only this machine, and no proxies. With `metrics.listen` the ' +
        'metrics have a port of their own and are not served here.',
      {
        200: {
          description: 'The metrics',
          content: {
            'text/plain': { schema: { type: 'string' }, example: '# TYPE appsvc_requests_total counter\n' },
          },
        },
        403: failure('This address may not read metrics'),
        404: failure('Metrics have a port of their own (`metrics.listen`)'),
        ...otherwise,
      },
    ),
  }
}
