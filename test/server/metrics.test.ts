import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createKoa } from '../../src/server/koa.ts'
import { routes } from '../../src/server/routes.ts'
import { onEachDatabase, openTestApp } from '../support/app.ts'
import { broadcast, deliverDue, fanOut, scriptedSender, withAndroids } from '../support/delivery.ts'
import { openTestServer, type TestServer } from '../support/http.ts'

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
