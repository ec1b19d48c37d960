import type { CommandRight } from '../../server/admin/command-runner.ts'
import { routes } from '../../server/routes.ts'
import type { Route } from '../../server/routing/route.ts'
import type { RouteName, Served } from './rights.ts'

/** What a command asks of a person. */
export interface Asked {
  right: CommandRight
  /** A fresh sign-in, or a token with the scope `confirmed`. */
  isConfirmed: boolean
  /** The route has a row in the audit log each time it is called. */
  isNoted: boolean
}

/** The routes of `/admin/v1` by the names that commands use. */
const ROUTES: ReadonlyMap<string, Route> = new Map(
  routes
    .filter(({ area }) => area === 'admin')
    .map((route) => [`${route.method.toUpperCase()} ${route.path.replace(/^\/v1/, '')}`, route]),
)

/** The route of a name. Throws for one that there is not: a test asks for all of them. */
export function routeOf(name: RouteName): Route {
  const found = ROUTES.get(name.replace(' @', ' /apps/:appId'))
  if (!found || found.right === undefined || found.right === 'self') {
    throw new Error(`no route of the admin interface that asks for a right is ${name}`)
  }
  return found
}

/** What a command asks for: what its route asks for, or what its own row says. */
export function askedOf({ needs, confirmed }: Served): Asked {
  if (!isRouteName(needs)) return { right: needs, isConfirmed: confirmed === true, isNoted: false }
  const { right, fresh, audit } = routeOf(needs)
  return { right: right as CommandRight, isConfirmed: fresh === true, isNoted: audit !== undefined }
}

export const isRouteName = (needs: Served['needs']): needs is RouteName => needs.includes(' ')
