import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import { openProgram } from '../../src/open.ts'
import { addInstall } from '../support/installs.ts'
import { type RunOptions, run as runAnywhere, temporaryDirectory } from './cli.ts'

describe('code to begin with on the command line', () => {
  const { dir, end } = temporaryDirectory()
  const data = join(dir, 'data')
  const run = (argv: string[], options?: RunOptions) => runAnywhere([...argv, '--data-dir', data], options)
  let keys: { apiKey: string; secretKey: string; serverKey: string }
  before(async () => {
    const ran = await run(['apps', 'create', 'Bakery', '--for', 'web', '--json'])
    keys = JSON.parse(ran.stdout)
  })
  after(end)

  it('comes with a new app, with its keys, which are not shown again', async () => {
    const ran = await run(['apps', 'create', 'Second', '--for', 'server'])
    const serverKey = /^server key\s+(\S+)$/m.exec(ran.stdout)![1]!
    expect(ran.stdout).to.include('# send.mjs').and.to.include(`serverKey: '${serverKey}'`)
    const again = await run(['apps', 'quickstart', 'Second', '--for', 'server'])
    expect(again.stdout).to.include(`serverKey: 'SERVER_KEY'`).and.to.not.include(serverKey)
  })

  it('has the keys that the environment names, and the address of the settings', async () => {
    const environment = { APPSVC_SECRET_KEY: keys.secretKey, APPSVC_BASE_URL: 'https://push.example.com' }
    const { stdout } = await run(['apps', 'quickstart', 'Bakery', '--json'], { environment })
    const { url, snippets } = JSON.parse(stdout) as {
      url: string
      snippets: { name: string; files: { text: string }[] }[]
    }
    expect(url).to.equal('https://push.example.com')
    const [page, worker] = snippets.find(({ name }) => name === 'web')!.files
    expect(page!.text).to.include(`secretKey: '${keys.secretKey}'`).and.to.include(`apiKey: '${keys.apiKey}'`)
    expect(worker!.text).to.equal("importScripts('https://push.example.com/sdk/v1/worker.js')")
  })

  it('waits for the first install no longer than it is told to, and says what is missing', async () => {
    const waiting = ['apps', 'quickstart', 'Bakery', '--for', 'curl', '--wait', '0s']
    const nobody = await run(waiting)
    expect({ code: nobody.code, stderr: nobody.stderr }).to.deep.include({ code: 69 })
    expect(nobody.stderr).to.include('no install has reported within 0s')
    const { config } = await loadConfig({ environment: {}, flags: { dataDir: data } })
    const program = openProgram({ config })
    await addInstall(program, 1, 'silent', { subscribed: false })
    await program.close()
    expect((await run(waiting)).stderr).to.include('install silent has reported and cannot get pushes yet')
  })

  it('names the places when it does not know one', async () => {
    const ran = await run(['apps', 'quickstart', 'Bakery', '--for', 'fax'])
    expect(ran.code).to.equal(64)
    expect(ran.stderr).to.match(/web, expo, server, curl/)
  })
})
