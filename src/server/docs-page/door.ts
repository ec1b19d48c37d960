import type { Context } from 'koa'
import { compressedText, fileReply, type ServedFile } from '../http/compressed.ts'
import { JSON_TYPE, type Reply, type Route } from '../routing/route.ts'

export const DOCS_PATHS = ['/openapi.json', '/docs'] as const

/** Pages by the table of routes: several servers of a process have the same ones. */
const made = new WeakMap<readonly Route[], Promise<ReadonlyMap<string, Page>>>()

/**
 * `/openapi.json`: the document of the HTTP interface; `/docs`: the same as a page for people. Both need no key: they
 * hold nothing secret. Built and compressed once, on first request, so that the start does not wait for them.
 */
export function docsDoor(routes: readonly Route[]) {
  return async (context: Context): Promise<Reply | undefined> => {
    if (context.method !== 'GET' && context.method !== 'HEAD') return undefined
    if (context.path !== '/openapi.json' && context.path !== '/docs') return undefined
    const pages = made.get(routes) ?? makePages(routes)
    made.set(routes, pages)
    const { file, headers } = (await pages).get(context.path)!
    return fileReply(context, file, headers)
  }
}

interface Page {
  file: ServedFile
  headers: Record<string, string>
}

/** Headers that make browsers ask whether their document is still the one: another release has another. */
const ASK = { 'Cache-Control': 'no-cache' }

async function makePages(routes: readonly Route[]): Promise<ReadonlyMap<string, Page>> {
  const [{ buildOpenApi }, { openApiText }, { DOCS_POLICY, renderDocs }] = await Promise.all([
    import('../openapi/document.ts'),
    import('../openapi/text.ts'),
    import('./page.ts'),
  ])
  const document = buildOpenApi(routes)
  const [json, html] = await Promise.all([
    compressedText(JSON_TYPE, openApiText(document)),
    compressedText('text/html; charset=utf-8', renderDocs(document)),
  ])
  return new Map([
    ['/openapi.json', { file: json, headers: ASK }],
    [
      '/docs',
      {
        file: html,
        headers: { ...ASK, 'Content-Security-Policy': DOCS_POLICY, 'Referrer-Policy': 'no-referrer' },
      },
    ],
  ])
}
