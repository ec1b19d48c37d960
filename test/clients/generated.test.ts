import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect } from 'chai'
import { ROOT } from '../cli/cli.ts'

interface Document {
  openapi: string
  paths: Record<string, Record<string, { operationId: string; security?: Record<string, string[]>[] }>>
}

describe('the interface document for generators that read OpenAPI 3.0', () => {
  const given = join(ROOT, 'docs/openapi.json')
  const written = join(mkdtempSync(join(tmpdir(), 'appsvc-openapi-')), 'openapi-3.0.json')
  before(() => {
    execFileSync(process.execPath, [join(ROOT, 'clients/openapi-3.0.mjs'), given, written])
  })

  const operationsOf = (path: string) =>
    Object.values((JSON.parse(readFileSync(path, 'utf8')) as Document).paths).flatMap((one) => Object.values(one))

  it('is right by the rules of 3.0', async () => {
    const config = await createConfig({ extends: ['spec'] })
    const source = readFileSync(written, 'utf8')
    expect((JSON.parse(source) as Document).openapi).to.equal('3.0.3')
    const problems = await lintFromString({ source, absoluteRef: written, config })
    expect(problems.map(({ message, location }) => `${location[0]?.pointer}: ${message}`)).to.deep.equal([])
  })

  it('has every operation for servers, and no other', () => {
    const forServers = operationsOf(given).filter(({ security = [] }) =>
      security.some((one) => 'serverKey' in one || 'restKey' in one),
    )
    const ids = (operations: { operationId: string }[]) => operations.map(({ operationId }) => operationId)
    expect(ids(operationsOf(written))).to.deep.equal(ids(forServers))
  })
})
