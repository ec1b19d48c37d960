import { expect } from 'chai'
import { listenForWorker } from '../../src/server/index.ts'
import { openTestProgram } from '../support/program.ts'

describe('the listener of a worker', () => {
  const open = async () => {
    const test = await openTestProgram({ settings: { 'metrics.workerListen': '127.0.0.1:0' } })
    const listener = (await listenForWorker(test.program))!
    const get = async (path: string, method = 'GET') => {
      const response = await fetch(listener.address + path, { method })
      return { status: response.status, text: await response.text(), type: response.headers.get('content-type') }
    }
    return {
      ...test,
      get,
      async end() {
        listener.close()
        await test.close()
      },
    }
  }

  it('counts what this node delivered', async () => {
    const { program, get, end } = await open()
    program.kernel.outcomes.set('accepted', 41)
    const { status, text, type } = await get('/metrics')
    expect([status, type]).to.deep.equal([200, 'text/plain; version=0.0.4; charset=utf-8'])
    expect(text).to.include('appsvc_recipients_total{outcome="accepted"} 41\n')
    expect(text).to.include('appsvc_database_up 1\n').and.not.include('appsvc_http_requests_total')
    await end()
  })

  it('tells orchestrators whether it lives and is ready', async () => {
    const { program, get, end } = await open()
    expect(await get('/healthz')).to.include({ status: 200, text: '{"status":"ok"}' })
    expect(await get('/readyz')).to.include({ status: 200, text: '{"status":"ready"}' })
    program.kernel.faults.settle([{ kind: 'worker', about: '', sentence: 'the worker deliver-1 is stuck' }])
    expect(await get('/readyz')).to.include({ status: 503, text: '{"error":"the worker deliver-1 is stuck"}' })
    await end()
  })

  it('answers nothing else', async () => {
    const { get, end } = await open()
    expect((await get('/')).status).to.equal(404)
    expect((await get('/metrics', 'POST')).status).to.equal(404)
    await end()
  })

  it('is not there unless it is asked for, and says when its port is taken', async () => {
    const { program, close } = await openTestProgram()
    expect(await listenForWorker(program)).to.equal(undefined)
    await close()
    const one = await openTestProgram({ settings: { 'metrics.workerListen': '127.0.0.1:0' } })
    const first = (await listenForWorker(one.program))!
    const two = await openTestProgram({ settings: { 'metrics.workerListen': first.address.replace('http://', '') } })
    const failure = await listenForWorker(two.program).then(
      () => 'it listens',
      (error: Error) => error.message,
    )
    expect(failure).to.include('--metrics-port')
    first.close()
    await Promise.all([one.close(), two.close()])
  })
})
