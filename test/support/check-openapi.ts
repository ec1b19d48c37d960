import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
// Gives openapi-typescript the compiler that it needs.
import '../../packaging/schemas.ts'
import { buildOpenApi } from '../../src/server/openapi/document.ts'
import { openApiText } from '../../src/server/openapi/text.ts'
import { routes } from '../../src/server/routes.ts'

/**
 * `npm run check`: the interface document passes Redocly's `recommended-strict` rules, and `openapi-typescript` makes types of it
 * that compile and are of use.
 */

const ROOT = join(import.meta.dirname, '../..')
const text = openApiText(buildOpenApi(routes))

/** Code of callers: free-form objects take anything, states and choices are known by their values. */
const USE = `
import type { components, operations, paths } from './interface.ts'
type Schemas = components['schemas']
export const attributes: Schemas['Attributes'] = { plan: 'gold', visits: 12, tags: ['a'], nested: { deep: true } }
export const event: Schemas['Event'] = { type: 'app.bought', uuid: 'u1', timestamp: 1, data: { price: 9.5, items: ['x'] } }
export const record: Schemas['Record'] = { id: 1, createdAt: '', updatedAt: '', customer: 'a', total: 4.5 }
export const send: Schemas['NotificationRequest'] = {
  target: { userIds: ['user-17', 18] },
  content: { title: 'T', message: 'M', data: { screen: 'offers' } },
  reportingMeta: { campaign: 1 },
  userMeta: { 'user-17': { seat: '4A' } },
}
export const sent = (accepted: Schemas['AcceptedNotification']): 0 | 1 | 2 | 3 | 4 | 5 => accepted.notification.status
export const install = (user: Schemas['User']): string | undefined => user.installs[0]?.id
// @ts-expect-error There is no such strategy.
export const wrong: Schemas['NotificationRequest']['schedule'] = { sendAt: '', strategy: 'soon', pastTimes: 'ignore' }
export type Created = paths['/messages/channels']['post']['responses']['201']['content']['application/json']['uuid']
export type Same = operations['postMessagesChannels']
`

const problems = [...(await lint()), ...(await compile())]
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0

async function lint(): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const found = await lintFromString({ source: text, absoluteRef: join(ROOT, 'docs/openapi.json'), config })
  return found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`)
}

async function compile(): Promise<string[]> {
  const { astToString, default: openapiTS } = await import('openapi-typescript')
  const folder = mkdtempSync(join(tmpdir(), 'appsvc-openapi-'))
  try {
    writeFileSync(join(folder, 'interface.ts'), astToString(await openapiTS(text)))
    writeFileSync(join(folder, 'use.ts'), USE)
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noEmit']
    const form = [
      '--target',
      'esnext',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
      '--allowImportingTsExtensions',
      '--ignoreConfig',
    ]
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const { stdout, status } = spawnSync(process.execPath, [tsc, ...strict, ...form, join(folder, 'use.ts')], {
      cwd: folder,
      encoding: 'utf8',
    })
    return status === 0 ? [] : [`types made of the document do not compile:\n${stdout}`]
  } finally {
    rmSync(folder, { recursive: true })
  }
}
