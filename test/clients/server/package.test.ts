import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { expect } from 'chai'
import { build, transformSync } from 'esbuild'
import { buildClient } from '../../../packaging/clients.ts'
import { snippetsFor } from '../../../src/present/snippets.ts'
import { ended, firstLine, killAll, ROOT } from '../../cli/cli.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addInstall } from '../../support/installs.ts'
import { needs } from '../../support/needs.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'
import { addWebhook, scriptedEndpoints, webhookWorker } from '../../support/webhooks.ts'

const EXAMPLE = join(ROOT, 'clients/server/example.ts')
const PAGE = join(ROOT, 'docs/clients/server.md')
const modules = join(ROOT, 'node_modules')

/** The names that the blocks of the page leave to the reader. */
const READERS = `
declare const apiKey: string, serverKey: string, secret: string, signingKey: string, request: Request
declare const place: { read(): Promise<string>; write(id: string): Promise<void> }
declare function handle(event: LoggedEvent): Promise<void>
declare const app: App
`

/** A program of the blocks of a page, each in a function of its own. */
function programOf(page: string): string {
  const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text]) => text!)
  expect(blocks.length).to.be.above(5)
  const bodies = blocks.map(
    (text, i) => `export async function block${i}() {\n${text.replaceAll(/^import .*$/gm, '')}}`,
  )
  const imports = "import { type App, appsvc, type LoggedEvent, signUser, verifyWebhook } from '@appsvc/server'"
  return [imports, READERS, ...bodies].join('\n')
}

describe('the package of the client for servers', function () {
  this.timeout(PROGRAMS_MS)
  let dir: string
  let test: TestServer
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-client-'))
    const installed = join(dir, 'node_modules')
    await buildClient('server', join(installed, '@appsvc/server'))
    for (const name of Object.keys(dependencies())) symlinkSync(join(modules, name), join(installed, name))
    mkdirSync(join(installed, '@types'))
    symlinkSync(join(modules, '@types/node'), join(installed, '@types/node'))
    test = await openTestServer()
  })
  after(async () => {
    killAll()
    await test.close()
  })

  const packageOf = (path: string) =>
    JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Record<string, unknown>
  /** Tells whether a Node is one that the package promises to run on. */
  const isPromised = (node: string) => {
    const [major, minor] = execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' })
      .split('.')
      .map(Number)
    return major! > 20 || (major === 20 && minor! >= 3)
  }
  const dependencies = () => packageOf(join(ROOT, 'clients/server')).dependencies as Record<string, string>
  const sources = () => {
    const path = join(ROOT, 'clients/server/src')
    return readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')] as const)
  }

  it('has the version of the server, and of its dependencies those that the tests run', () => {
    const made = packageOf(join(dir, 'node_modules/@appsvc/server'))
    expect(made.version).to.equal(packageOf(ROOT).version)
    for (const [name, version] of Object.entries(dependencies()))
      expect(packageOf(join(modules, name)).version, name).to.equal(version)
  })

  it('imports nothing of Node and nothing of the server', () => {
    const imported = sources().flatMap(([, text]) => [...text.matchAll(/\bfrom '([^']+)'/g)].map(([, from]) => from!))
    expect(imported.filter((from) => !from.startsWith('./') && !(from in dependencies()))).to.deep.equal([])
  })

  it('has an example of at most 80 lines, a snippet and a page that its types accept, under strict rules', async () => {
    expect(readFileSync(EXAMPLE, 'utf8').split('\n').length).to.be.at.most(81)
    copyFileSync(EXAMPLE, join(dir, 'example.ts'))
    writeFileSync(join(dir, 'page.ts'), programOf(readFileSync(PAGE, 'utf8')))
    const snippets = snippetsFor({ url: 'https://app.example.com', apiKey: 'a', secretKey: 's', serverKey: 'k' })
    writeFileSync(join(dir, 'send.ts'), snippets.find(({ name }) => name === 'server')!.files[0]!.text)
    const compilerOptions = { target: 'es2022', module: 'nodenext', strict: true, noEmit: true, types: ['node'] }
    writeFileSync(join(dir, 'package.json'), '{"type": "module"}')
    writeFileSync(
      join(dir, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['example.ts', 'send.ts', 'page.ts'] }),
    )
    const tsc = spawn(process.execPath, [join(modules, 'typescript/bin/tsc'), '-p', dir], { cwd: dir })
    const { code, stdout } = await ended(tsc)
    expect([code, stdout]).to.deep.equal([0, ''])
  })

  it('runs on Node 20, if there is one: the example sends, signs, lists and verifies against a real server', async function () {
    const old = needs(this, 'Node before 24')
    const node = isPromised(old) ? old : process.execPath
    const { program, first, address, clock } = test
    clock.set(Date.now())
    const SIGNING_KEY = await program.inTransaction((tx) => tx.signedIds.setMode(first.id, 'optional'))
    const { secret } = await addWebhook(test)
    await addInstall(program, first.id, 'phone', { user: 'anna' })
    const channel = { uuid: 'news', name: 'News', showInPortal: true }
    expect((await test.call('POST', '/messages/channels', { body: channel })).status).to.equal(201)
    writeFileSync(join(dir, 'example.js'), transformSync(readFileSync(EXAMPLE, 'utf8'), { loader: 'ts' }).code)
    const env = {
      APPSVC_URL: address,
      API_KEY: first.apiKey,
      SERVER_KEY: first.serverKey,
      SIGNING_KEY: SIGNING_KEY!,
      WEBHOOK_SECRET: secret,
      PORT: '0',
    }
    const child = spawn(node, ['example.js'], { cwd: dir, env })
    try {
      const { port } = await firstLine<{ port: number }>(child)
      const ask = async (path: string, init: RequestInit = {}) => {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, init)
        return `${answer.status} ${(await answer.text()).trim()}`
      }
      const order = (user: string) => ({ method: 'POST', body: JSON.stringify({ id: `o-${user}`, user, amount: 5 }) })
      const first = await ask('/orders', order('anna'))
      expect(first).to.match(/^200 push \d+ is on its way$/)
      expect(await ask('/orders', order('anna'))).to.equal(first)
      expect(await ask('/orders', order('ben'))).to.equal('200 ben has no phone that takes pushes')
      const token = (await ask('/token?user=anna')).slice('200 '.length)
      expect((await test.call('GET', `/crm/v1/users/${token}/channels`, { auth: 'device' })).status).to.equal(200)
      expect(await ask('/channels')).to.equal('200 News')
      const { send, received } = scriptedEndpoints()
      await webhookWorker(test, send).turn()
      const { headers, text: body } = received.at(-1)!
      expect(await ask('/hooks', { method: 'POST', headers, body })).to.equal('200 heard 1')
      expect(await ask('/hooks', { method: 'POST', headers, body: `${body} ` })).to.match(/^400 /)
    } finally {
      child.kill()
      await once(child, 'exit')
    }
  })

  it('uses nothing but what a worker of the web has', async () => {
    await addInstall(test.program, test.first.id, 'phone')
    const { apiKey, serverKey } = test.first
    const { outputFiles } = await build({
      stdin: { contents: "export * from '@appsvc/server'", resolveDir: dir },
      bundle: true,
      write: false,
      format: 'iife',
      globalName: 'client',
      platform: 'browser',
      conditions: ['worker'],
    })
    const web = { fetch, Request, Response, Headers, URL, AbortController, AbortSignal, DOMException, ReadableStream }
    const more = { TextEncoder, TextDecoder, crypto, btoa, setTimeout, clearTimeout, FormData, URLSearchParams }
    const given = { url: test.address, apiKey, serverKey }
    const world = createContext({ ...web, ...more, given })
    runInContext(outputFiles[0]!.text, world)
    const sent = (await runInContext(
      `client.appsvc(given).notifications.send({ target: { broadcast: true }, content: { title: 'T', message: 'M' } })`,
      world,
    )) as { accepted: boolean }
    expect(sent.accepted).to.equal(true)
    expect(await runInContext(`client.signUser('uk_1', 'anna')`, world)).to.match(/^su1\.YW5uYQ\.0\./)
  })
})
