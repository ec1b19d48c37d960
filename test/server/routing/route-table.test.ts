import { Router } from '@koa/router'
import { expect } from 'chai'
import { routes } from '../../../src/server/routes.ts'
import { AREAS, type Area, get, type Route } from '../../../src/server/routing/route.ts'
import { mayBeCut, type Placed, routeTable, withMethod } from '../../../src/server/routing/route-table.ts'
import { chance } from '../../support/chance.ts'

/** Finds by @koa/router: the table is to find the same. */
function reference(area: Area): (path: string) => [Route, Record<string, string>][] {
  const router = new Router({ sensitive: true })
  const declared = new Map<unknown, Route>()
  for (const route of routes.filter((one) => [one.area].flat().includes(area))) {
    router.register(route.path, [route.method], () => {})
    declared.set(router.stack.at(-1), route)
  }
  return (path) =>
    router.match(path, '').path.map((layer) => [declared.get(layer)!, layer.params(path, layer.captures(path))])
}

describe('the table of routes', () => {
  const found = (find: ReturnType<typeof routeTable>, path: string) => {
    const fitting = find(path)
    return fitting.routes.map((placed): [Route, Record<string, string>] => [placed.route, fitting.paramsOf(placed)])
  }

  it('finds in every area what @koa/router finds, for declared paths and for odd ones', () => {
    const random = chance(11)
    const segments = [
      ...new Set(routes.flatMap(({ path }) => path.split('/').filter((part) => !part.startsWith(':')))),
      'a b',
      'x',
      'V1',
      'user%2Fname',
      '%C3%84',
      '%2e',
      '.',
      '..',
      '',
      '',
      '__proto__',
      'constructor',
      'a:b',
      '7',
    ]
    const pick = (): string => segments[random(segments.length)]!
    const paths = routes.flatMap(({ path }) => [
      path.replace(/:\w+/g, pick),
      path.replace(/:\w+/g, 'x'),
      `${path.replace(/:\w+/g, 'a%20b')}/`,
      `${path}//`,
      path.toUpperCase(),
      path.replace('/', '//'),
    ])
    for (let i = 0; i < 3000; i++) paths.push(`/${Array.from({ length: 1 + random(5) }, pick).join('/')}`)
    paths.push('', '/', '//', '*', 'v1/users')
    let matches = 0
    for (const area of AREAS) {
      const find = routeTable(routes, [area])
      const expected = reference(area)
      for (const path of paths) {
        expect(found(find, path), `${area} ${path}`).to.deep.equal(expected(path))
        matches += find(path).routes.length
      }
    }
    expect(matches).to.be.greaterThan(routes.length)
  })

  it('tries areas in their order, and routes in that of their declaration', () => {
    const route = (path: string, area: Area) =>
      get(path, { area, summary: '', description: '', needs: 'server-key', run: async () => 1 })
    const all = [route('/a/:x', 'push'), route('/a/b', 'push'), route('/:y/b', 'crm'), route('/a/b', 'crm')]
    const order = (areas: Area[]) => {
      const fitting = routeTable(all, areas)('/a/b')
      return fitting.routes.map((placed: Placed) => [placed.area, placed.route.path, fitting.paramsOf(placed)])
    }
    const push = [
      ['push', '/a/:x', { x: 'b' }],
      ['push', '/a/b', {}],
    ]
    const crm = [
      ['crm', '/:y/b', { y: 'a' }],
      ['crm', '/a/b', {}],
    ]
    expect(order(['push', 'crm'])).to.eql([...push, ...crm])
    expect(order(['crm', 'push'])).to.eql([...crm, ...push])
    expect(withMethod(routeTable(all, ['crm'])('/a/b'), 'post')).to.equal(undefined)
    expect(withMethod(routeTable(all, ['crm'])('/a/b'), 'get')?.route.path).to.equal('/:y/b')
  })

  it('takes no pattern that it would read differently', () => {
    for (const path of ['/a/*rest', '/a{/b}', '/a/:b.json']) {
      const odd = get(path, { area: 'crm', summary: '', description: '', needs: 'server-key', run: async () => 1 })
      expect(() => routeTable([odd], ['crm']), path).to.throw('whole segment')
    }
  })

  it('deletes and changes nothing by a path of which clients have taken an id of two dots', () => {
    let cut = 0
    for (const area of AREAS) {
      const find = routeTable(routes, [area])
      for (const { path, method } of routes.filter((one) => [one.area].flat().includes(area))) {
        if (method !== 'delete' && method !== 'patch') continue
        for (const dotted of path.matchAll(/:\w+/g)) {
          const rest = path.slice(dotted.index + dotted[0].length)
          const given = `${path.slice(0, dotted.index)}..${rest}`.replace(/:\w+/g, '7')
          const arrived = new URL(given, 'http://localhost').pathname
          const other = withMethod(find(arrived), method)?.route
          if (!other || other.device) continue
          expect(mayBeCut(arrived, other), `${method} ${given}`).to.equal(true)
          cut++
        }
      }
    }
    expect(cut).to.be.greaterThan(0)
  })
})
