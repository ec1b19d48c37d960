import type { Context } from 'koa'
import type { App } from '../app.ts'
import { messageOf } from '../platform/errors.ts'
import type { Catalogue, MetricSources, Observation } from './metrics-catalogue.ts'
import { Reply, Text } from './route.ts'

/**
 * `/metrics` without a key, in the text format of Prometheus. What does the counting is loaded after the first answer has
 * left: it takes tens of milliseconds, and the start waits for nothing.
 */
export function createMeter(app: App, sources: MetricSources = { waitingClicks: () => 0 }) {
  let catalogue: Catalogue | undefined
  let loading: Promise<Catalogue> | undefined
  const early: Observation[] = []

  async function load(): Promise<Catalogue> {
    const { createCatalogue } = await import('./metrics-catalogue.ts')
    catalogue = createCatalogue(app, sources)
    for (const seen of early.splice(0)) catalogue.observe(seen)
    return catalogue
  }

  return {
    observe(seen: Observation): void {
      if (catalogue) return catalogue.observe(seen)
      early.push(seen)
      loading ??= load()
      loading.catch((error: unknown) => app.kernel.log.error({ error: messageOf(error) }, 'metrics cannot be kept'))
    },

    async door(context: Context): Promise<Reply | undefined> {
      if (context.path !== '/metrics' || (context.method !== 'GET' && context.method !== 'HEAD')) return undefined
      loading ??= load()
      const { contentType, text } = await loading
      return new Reply(200, new Text(await text(), contentType), { 'Cache-Control': 'no-store' })
    },
  }
}
