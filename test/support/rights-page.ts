import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { askedOf, isRouteName } from '../../src/cli/remote/asked.ts'
import { named, PLACES, type Served } from '../../src/cli/remote/rights.ts'
import { routes } from '../../src/server/routes.ts'

export const RIGHTS_PAGE = join(import.meta.dirname, '../../docs/reference/rights.md')

const HEAD = `# Rights

What every command asks of somebody on [another machine](../remote.md), and every route of \`/admin/v1\` of people. A command asks
for what the route with the same effect asks for: there is no second list. "Fresh" is a sign-in of the last ten minutes, or a token
with the scope \`confirmed\`. [Roles and their rights](../admins.md#people-and-roles).

\`npm run openapi\` writes this page; a test compares it.
`

/** docs/reference/rights.md. */
export function rightsPage(): string {
  const yes = (flag: boolean | undefined) => (flag ? 'yes' : '')
  const served = Object.entries(PLACES).filter((one): one is [string, Served] => typeof one[1] === 'object')
  const commands = served.map(([id, place]) => {
    const { right, isConfirmed } = askedOf(place)
    const where = { app: 'the app', server: 'the server', apps: 'any app' }[place.in]
    const as = isRouteName(place.needs) ? `\`${place.needs.replace(' @', ' /apps/:appId')}\`` : ''
    return `| \`${named(id)}\` | \`${right}\` | ${where} | ${yes(isConfirmed)} | ${yes(place.people)} | ${as} |`
  })
  const only = (kind: string) =>
    Object.entries(PLACES)
      .flatMap(([id, place]) => (place === kind ? [`\`${named(id)}\``] : []))
      .join(', ')
  const withFlags = served.flatMap(([id, { onlyWith = [] }]) =>
    onlyWith.length === 0 ? [] : [`\`${named(id)}\` (${onlyWith.map((flag) => `\`${flag}\``).join(', ')})`],
  )
  const forPeople = routes
    .filter(({ area, needs }) => area === 'admin' && needs === 'person')
    .map(({ method, path, right, fresh }) => {
      const where = path.includes(':appId') ? 'the app' : 'the server'
      return `| \`${method.toUpperCase()} ${path.replace(/^\/v1/, '')}\` | \`${right}\` | ${right === 'self' ? '' : where} | ${yes(fresh)} |`
    })
  return `${HEAD}
## Commands

"People": it shows personal data, so it is not for viewers.

| command | right | in | fresh | people | as the route |
|---|---|---|---|---|---|
${commands.join('\n')}

Only on the server's own machine: ${only('machine')}.

Without a server: ${only('anywhere')}.

Without a server, unless a flag asks for people: ${withFlags.join(', ')}.

## Routes

| route of \`/admin/v1\` | right | in | fresh |
|---|---|---|---|
${forPeople.join('\n')}
`
}

if (process.argv[1] === import.meta.filename) writeFileSync(RIGHTS_PAGE, rightsPage())
