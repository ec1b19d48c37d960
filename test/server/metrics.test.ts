import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { expect } from 'chai'
import { listen } from '../../src/server/index.ts'
import { createKoa } from '../../src/server/koa.ts'
import { routes } from '../../src/server/routes.ts'
import { onEachDatabase, openTestApp } from '../support/app.ts'
import { broadcast, deliverDue, fanOut, scriptedSender, withAndroids } from '../support/delivery.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { visit } from '../support/visit.ts'

onEachDatabase('the metrics door', (kind) => {
  let server: TestServer

  beforeEach(async () => {
    server = await openTestServer({ kind })
  })
  afterEach(() => server.close())

  /** One scrape; the value of a series, NaN when there is none. */
  async function scrape(): Promise<(series: string) => number> {
    const response = await fetch(`${server.address}/metrics`)
    expect(response.status).to.equal(200)
    expect(response.headers.get('content-type')).to.match(/^text\/plain; version=0\.0\.4/)
    const text = await response.text()
    return (series) => Number(text.split(`\nappsvc_${series} `)[1]?.split('\n')[0])
  }

  it('counts requests by route and status, also those before anything was scraped', async () => {
    await server.call('GET', '/v2/users?currentPage=1&numberPerPage=10')
    await server.call('GET', '/crm/v2/users')
    await server.call('GET', '/crm/v2/users', { auth: 'none' })
    await server.call('GET', `/nothing/${'x'.repeat(100)}`)
    await server.call('HEAD', '/healthz')
    const value = await scrape()
    const of = (area: string, route: string, method: string, status: number) =>
      value(`http_requests_total{area="${area}",route="${route}",method="${method}",status="${status}"}`)
    expect(of('crm', '/v2/users', 'get', 200)).to.equal(1)
    expect(of('crm', '/v2/users', 'get', 422)).to.equal(1)
    expect(of('crm', '/v2/users', 'get', 401)).to.equal(1)
    expect(of('none', 'unknown', 'other', 404)).to.equal(1)
    expect(of('none', 'health', 'get', 200)).to.equal(1)
    expect(value('http_request_duration_seconds_count{area="crm",route="/v2/users",method="get"}')).to.equal(3)
  })

  it('has no metric that docs/operating.md does not name', async () => {
    const text = await (await fetch(`${server.address}/metrics`)).text()
    const names = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!)
    expect(names).to.include('appsvc_fault').and.to.have.length.above(15)
    const page = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8')
    expect(names.filter((name) => !page.includes(`| \`${name}\``) && !page.includes(`, \`${name}\` |`))).to.deep.equal(
      [],
    )
  })

  it('tells how many clicks on links wait to be written', async () => {
    expect((await scrape())('link_clicks_waiting')).to.equal(0)
  })

  it('tells how long credentials that end are still valid', async () => {
    const { app, first, clock } = server
    const facts = { warnings: [], notAfter: clock.now() + 60_000 }
    await app.inTransaction((tx) => tx.gateways.configure(first.id, { ios: { secret: {}, facts, sendable: true } }))
    const series = `gateway_credential_expires_seconds{app="${first.id}",platform="ios"}`
    expect((await scrape())(series)).to.equal(60)
    clock.advance(90_000)
    expect((await scrape())(series)).to.equal(-30)
    await app.inTransaction((tx) => tx.gateways.remove(first.id, 'ios'))
    expect(Number.isNaN((await scrape())(series))).to.equal(true)
  })

  it('tells how long the oldest recipient has been due: of a run, of a page, of a page that is being sent', async () => {
    const { app, clock } = server
    expect((await scrape())('oldest_due_age_seconds')).to.equal(0)
    await withAndroids(server, 3)
    await server.call('POST', '/messages/v2/notifications', {
      body: { target: { broadcast: true }, content: { title: 'T', message: 'M' } },
    })
    clock.advance(10_000)
    let value = await scrape()
    expect(value('oldest_due_age_seconds')).to.equal(10)
    expect(value('notifications_open{status="queued"}')).to.equal(1)

    await fanOut(server)
    clock.advance(5000)
    value = await scrape()
    const lane = `app="${server.first.id}",platform="android"`
    expect(value('oldest_due_age_seconds')).to.equal(5)
    expect(value(`lane_due_pages{${lane}}`)).to.equal(1)
    expect(value(`lane_oldest_due_age_seconds{${lane}}`)).to.equal(5)
    expect(value('notifications_open{status="sending"}')).to.equal(1)

    const [laneId] = await app.queue.dueLanes(clock.now(), 1)
    await app.inTransaction((tx) => tx.queue.claim(laneId!, 'somebody', clock.now(), 30_000))
    value = await scrape()
    expect(value('oldest_due_age_seconds')).to.equal(5)
    expect(value(`lane_due_pages{${lane}}`)).to.equal(0)
  })

  it('shows a held lane with its kind, and an open one with none', async () => {
    await withAndroids(server, 1)
    const [lane] = await server.app.gateways.lanes.list()
    const labels = `app="${server.first.id}",platform="android"`
    expect((await scrape())(`lane_held_seconds{${labels},kind="none"}`)).to.equal(0)
    const hold = { until: server.clock.now() + 60_000, kind: 'config_error', reason: 'x', holds: 2 } as const
    await server.app.inTransaction((tx) => tx.gateways.lanes.hold(lane!.id, hold, server.clock.now()))
    const value = await scrape()
    expect(value(`lane_held_seconds{${labels},kind="config_error"}`)).to.equal(60)
    expect(value(`lane_held_seconds{${labels},kind="none"}`)).to.eql(Number.NaN)
    expect(value(`lane_holds{${labels}}`)).to.equal(2)
  })

  it('counts every recipient once, by what became of him', async () => {
    await withAndroids(server, 5)
    await broadcast(server)
    const { sender } = scriptedSender((token) =>
      token === 'token-1' ? { kind: 'token_dead', reason: 'UNREGISTERED' } : { kind: 'accepted' },
    )
    await deliverDue(server, sender, { chunk: 2 })
    await broadcast(server, { ttl: 1 })
    server.clock.advance(2000)
    await deliverDue(server, sender)
    const value = await scrape()
    expect(value('recipients_total{outcome="accepted"}')).to.equal(4)
    expect(value('recipients_total{outcome="token_dead"}')).to.equal(1)
    expect(value('recipients_total{outcome="expired"}')).to.equal(4)
    expect(value('recipients_total{outcome="no_gateway"}')).to.equal(0)
    expect(value('notifications_open{status="sending"}')).to.equal(0)
  })

  it('counts those who are settled without being sent to: by the fan-out', async () => {
    await withAndroids(server, 3)
    await server.app.inTransaction((tx) => tx.gateways.remove(server.first.id, 'android'))
    await broadcast(server)
    expect((await scrape())('recipients_total{outcome="no_gateway"}')).to.equal(3)
  })

  it('tells the age of worker ticks and the size of the database', async () => {
    server.app.kernel.ticks.set('sweep', server.clock.monotonic())
    server.clock.advance(3000)
    const value = await scrape()
    expect(value('worker_tick_age_seconds{worker="sweep"}')).to.equal(3)
    expect(value('database_up')).to.equal(1)
    expect(value('database_size_bytes')).to.be.greaterThan(10_000)
    const wal = value('database_wal_size_bytes')
    if (kind === 'sqlite') expect(wal).to.be.greaterThan(0)
    else expect(wal).to.eql(Number.NaN)
  })
})

describe('who gets metrics', () => {
  const close: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const end of close.splice(0).reverse()) await end()
  })
  const open = async (settings: Record<string, string> = {}) => {
    const server = await openTestServer({ settings })
    close.push(server.close)
    return (headers: Record<string, string> = {}, host = '127.0.0.1:8080') =>
      visit(server.address, { host, path: '/metrics', headers })
  }

  it('a caller on this machine, by address or as localhost', async () => {
    const ask = await open()
    for (const host of ['127.0.0.1', '127.0.0.1:8080', '[::1]:8080', 'localhost:8080', 'appsvc.localhost']) {
      expect((await ask({}, host)).status, host).to.equal(200)
    }
  })

  it('nobody through a proxy on this machine, and no page whose name means this machine', async () => {
    const ask = await open({ trustedProxies: '127.0.0.1' })
    for (const name of ['X-Forwarded-For', 'Forwarded', 'Via', 'X-Real-IP', 'X-Forwarded-Host', 'X-Forwarded-Proto']) {
      const { status, text } = await ask({ [name]: '127.0.0.1' })
      expect(status, name).to.equal(403)
      expect(text).to.include('metrics.listen').and.not.include('appsvc_')
    }
    for (const host of ['push.example.com', 'rebound.example:8080', '127.0.0.1.example']) {
      expect((await ask({}, host)).status, host).to.equal(403)
    }
  })

  it('nobody by HTTP/1.0, which nginx speaks unless told otherwise', async () => {
    const server = await openTestServer()
    close.push(server.close)
    const socket = connect(Number(new URL(server.address).port), '127.0.0.1')
    socket.end('GET /metrics HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n')
    expect(await readText(socket)).to.match(/^HTTP\/1\.1 403 /)
  })

  it('nobody whom the list leaves out', async () => {
    expect((await (await open({ 'metrics.allow': '10.0.0.0/8' }))()).status).to.equal(403)
    expect((await (await open({ 'metrics.allow': '' }))()).status).to.equal(403)
    expect((await (await open({ 'metrics.allow': '10.0.0.0/8,127.0.0.1' }))()).status).to.equal(200)
  })

  it('whoever reaches their own address, where there is nothing else, and then nobody on the main one', async () => {
    const test = await openTestApp({ settings: { port: '0', 'metrics.listen': '127.0.0.1:0' } })
    close.push(test.close)
    const server = await listen(test.app)
    close.push(server.close)
    expect((await fetch(`${server.address}/metrics`)).status).to.equal(404)
    expect((await fetch(`${server.address}/healthz`)).status).to.equal(200)
    const own = await visit(server.metricsAddress!, { host: 'metrics.example', path: '/metrics?x=1' })
    expect(own.status).to.equal(200)
    expect(own.headers['content-type']).to.match(/^text\/plain; version=0\.0\.4/)
    expect(own.text).to.include('appsvc_http_requests_total')
    for (const path of ['/', '/healthz', '/metricsx', '/v1/apps/1']) {
      expect((await visit(server.metricsAddress!, { host: 'x', path })).status, path).to.equal(404)
    }
    expect((await fetch(`${server.metricsAddress}/metrics`, { method: 'POST' })).status).to.equal(404)
  })

  it('a taken address ends the start with what to do', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    close.push(async () => void taken.close())
    const { port } = taken.address() as AddressInfo
    const test = await openTestApp({ settings: { port: '0', 'metrics.listen': `127.0.0.1:${port}` } })
    close.push(test.close)
    const error = await listen(test.app).then(
      () => undefined,
      (thrown: Error) => thrown,
    )
    expect(error?.message).to.include('another program has it; choose another with metrics.listen')
  })
})

describe('the metrics door without its database', () => {
  it('says so and shows no old numbers', async () => {
    const test = await openTestApp()
    const server = createServer(createKoa(test.app, routes).callback()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`
    expect(await (await fetch(address)).text()).to.include('\nappsvc_database_up 1\n')
    await test.close()
    const text = await (await fetch(address)).text()
    expect(text).to.include('\nappsvc_database_up 0\n')
    expect(text).to.not.match(/^appsvc_oldest_due_age_seconds /m)
    expect(text).to.match(/^appsvc_process_cpu_seconds_total /m)
    server.close()
  })
})
