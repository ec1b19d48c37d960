import type { Context } from 'koa'
import { jsonText, Reply, type Route, Text } from './route.ts'

export const DOCS_PATHS = ['/openapi.json', '/docs'] as const

/**
 * `/openapi.json`: the document of the HTTP interface; `/docs`: the same as a page for people. Both need no key: they
 * hold nothing secret. Built on first request, so that the start does not wait for them.
 */
export function docsDoor(routes: readonly Route[]) {
  let pages: Promise<ReadonlyMap<string, Reply>> | undefined
  return async (context: Context): Promise<Reply | undefined> => {
    if (context.method !== 'GET' && context.method !== 'HEAD') return undefined
    if (context.path !== '/openapi.json' && context.path !== '/docs') return undefined
    pages ??= makePages(routes)
    return (await pages).get(context.path)
  }
}

async function makePages(routes: readonly Route[]): Promise<ReadonlyMap<string, Reply>> {
  const [{ buildOpenApi, openApiText }, { DOCS_POLICY, renderDocs }] = await Promise.all([
    import('./openapi/document.ts'),
    import('./docs-page.ts'),
  ])
  const document = buildOpenApi(routes)
  const html = new Text(renderDocs(document), 'text/html; charset=utf-8')
  return new Map([
    ['/openapi.json', new Reply(200, jsonText(openApiText(document)))],
    ['/docs', new Reply(200, html, { 'Content-Security-Policy': DOCS_POLICY, 'Referrer-Policy': 'no-referrer' })],
  ])
}
