import { expect } from 'chai'
import { routes } from '../../src/server/routes.ts'
import type { Route } from '../../src/server/routing/route.ts'
import { basic } from '../support/basic.ts'
import { reaches } from '../support/depth.ts'
import { type HostileBody, hostileBodies, packedBodies } from '../support/hostile/bodies.ts'
import { hostileHeads } from '../support/hostile/heads.ts'
import { type Asked, type Cost, type HostileRig, openHostileRig } from '../support/hostile/rig.ts'
import { newLink } from '../support/links.ts'
import { PROGRAMS_MS } from '../support/programs.ts'

/** The value of `HostileRig.unit` on the machine where the numbers below were chosen. */
const UNIT_MS = 0.08
/** The cost (ms) of any request: one that makes an install and stores something takes 1 to 2.5 ms before it is compiled. */
const CONSTANT_MS = 3.5
/** The cost (ms) of 10 KB of a request besides. */
const MS_PER_10_KB = 2
/** An answer to a refused request names twenty wrong places and what may stand there. */
const MOST_ANSWER = 8192

/** Whoever has no key, or the one that is in every copy of the app, can call these. */
const OPEN = routes.filter(({ needs }) => needs === 'nobody' || needs === 'path-key' || needs === 'device-key')

describe('a hostile request costs the thread of the server little', function () {
  this.timeout(PROGRAMS_MS)
  let rig: HostileRig

  before(async () => {
    // The limits would refuse most of these requests: what is measured is what gets through.
    const limits = [
      'bytesPerApp',
      'bytesPerAddress',
      'newPerAddress',
      'eventsPerInstall',
      'newChannelsPerApp',
      'wrongKeys',
    ]
    rig = await openHostileRig({ settings: Object.fromEntries(limits.map((name) => [`limits.${name}`, '0'])) })
    await rig.program.inTransaction((tx) => tx.links.create(rig.first.id, [newLink({ slug: 'hostile' })]))
    unit = rig.unit()
  })
  after(() => rig.close())

  /** The processor time (ms) that a request of so many bytes may take, by what the unit of work takes. */
  const allowed = (bytes: number, unit: number) =>
    (CONSTANT_MS + (MS_PER_10_KB * bytes) / 10_000) * Math.max(1, unit / UNIT_MS)
  let unit: number

  /**
   * Measures, and measures once more, longer, what seems to cost too much, with the unit of work beside it: others use the machine, and
   * it is not always as fast as it was at the beginning.
   */
  async function costOf(request: Asked, bytes = request.body?.length ?? 0): Promise<Cost & { isDear: boolean }> {
    const isDear = ({ ms, sent }: Cost) => ms > allowed(Math.max(bytes, sent), unit)
    let cost = await rig.cost(request, 1)
    if (isDear(cost)) {
      cost = await rig.cost(request, 9)
      unit = rig.unit()
    }
    return { ...cost, isDear: isDear(cost) }
  }

  const said = (name: string, { ms, sent, got, status }: Cost) =>
    `${name}: ${ms.toFixed(1)} ms for ${sent} bytes, answered ${status} with ${got} bytes`

  /** The address of a route, with another install each time. */
  function requestOf(route: Route, body: HostileBody): Asked {
    const given: Record<string, string> = { apiKey: rig.first.apiKey, installId: 'install-{n}', method: 'x.json' }
    const path = route.path.replace(/:(\w+)/g, (_, name: string) => given[name] ?? 'known')
    return {
      method: route.method.toUpperCase(),
      path: `/${[route.area].flat()[0]!}${path}`,
      headers: {
        'content-type': body.type,
        ...(body.encoding && { 'content-encoding': body.encoding }),
        ...(route.needs === 'device-key' && { authorization: basic(rig.first.apiKey, rig.first.secretKey) }),
      },
      body: body.bytes,
    }
  }

  const fieldsOf = ({ body }: Route) => Object.keys((body as { fields?: object } | undefined)?.fields ?? {})

  async function dearBodies(route: Route, bodies: readonly HostileBody[], charged = 0): Promise<string[]> {
    const dear: string[] = []
    for (const body of bodies) {
      const cost = await costOf(requestOf(route, body), Math.max(charged, body.bytes.length))
      const isRefused = cost.status >= 400
      const isWrong = cost.status === 0 || cost.status === 500 || (isRefused && cost.got > MOST_ANSWER)
      if (cost.isDear || isWrong) dear.push(said(body.name, cost))
    }
    return dear
  }

  for (const [turn, route] of OPEN.filter(({ method }) => method !== 'get').entries()) {
    it(`${route.method.toUpperCase()} ${route.path}, whatever 10 KB hold`, async () => {
      expect(await dearBodies(route, hostileBodies(10_000, fieldsOf(route)))).to.deep.equal([])
      // A body that is just small enough is looked into. Routes take turns, so that every second one gets what its neighbours do not.
      const fitting = route.maxBody === undefined ? [] : hostileBodies(route.maxBody, fieldsOf(route))
      const some = fitting.filter((_, i) => reaches('whole') || (i + turn) % 2 === 0)
      expect(await dearBodies(route, some)).to.deep.equal([])
    })
  }

  for (const path of ['/v1/app-installs/:installId/events', '/v1/track/:apiKey/acra/:installId', '/v1/channels']) {
    it(`POST ${path}, whatever 100 KB hold`, async () => {
      const route = OPEN.find((one) => one.path === path && one.method === 'post')!
      expect(await dearBodies(route, hostileBodies(100_000, fieldsOf(route)))).to.deep.equal([])
    })
  }

  for (const route of OPEN.filter(({ raw }) => raw)) {
    it(`${route.method.toUpperCase()} ${route.path}, whatever comes out of a packed body`, async () => {
      // At least so much may come out of any, and is charged.
      expect(await dearBodies(route, packedBodies(60_000), 60_000)).to.deep.equal([])
      const small = packedBodies(2_000_000).filter(({ bytes }) => bytes.length < 10_000)
      expect(small).to.have.length.above(8)
      expect(await dearBodies(route, small, 64 * 1024)).to.deep.equal([])
    })
  }

  const paths = [
    '/',
    '/l/first/hostile',
    '/links/v1/deeplinks/_taps',
    '/links/v1/banners',
    '/admin/v1/state',
    '/data/1_x',
  ]
  for (const [turn, path] of paths.entries()) {
    it(`GET ${path}, whatever its head holds`, async () => {
      const isDevice = path.startsWith('/links/')
      const headers = isDevice ? { authorization: basic(rig.first.apiKey, rig.first.secretKey) } : {}
      const dear: string[] = []
      for (const head of hostileHeads(path, reaches('whole') ? undefined : turn)) {
        const cost = await costOf({ method: 'GET', path: head.path, headers: { ...headers, ...head.headers } })
        if (cost.isDear || cost.status === 0 || cost.status === 500) dear.push(said(head.name, cost))
      }
      expect(dear).to.deep.equal([])
    })
  }
})
