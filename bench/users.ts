import { makeDataDirectory } from './support/audience.ts'
import { openExecutable, start } from './support/executable.ts'
import { load } from './support/http.ts'
import { percentile, type Result } from './support/result.ts'

export interface UsersOptions {
  users: number
  ms: number
  executable?: string | undefined
}

const FAR_PAGE = 1000

/** Measures the thousandth page of the user list. The baseline is the first page. */
export async function benchUsers({ users, ms, executable }: UsersOptions): Promise<Result[]> {
  const program = await openExecutable(executable)
  const data = await makeDataDirectory({ installs: users })
  const perPage = Math.min(100, Math.floor(users / FAR_PAGE))
  try {
    const server = await start<{ listening: string }>(program, ['serve', '--port', '0', '--data-dir', data.dir])
    try {
      const measure = async (page: number) => {
        const path = `/crm/v2/users?currentPage=${page}&numberPerPage=${perPage}`
        const options = { address: server.ready.listening, credentials: data.serverKey, connections: 1 }
        const { times } = await load({ ...options, ms, request: () => ({ method: 'GET', path }) })
        return percentile(times, 0.5)
      }
      await measure(1)
      const first = await measure(1)
      const far = await measure(FAR_PAGE)
      const note = `median, ${perPage} of ${users} users per page`
      return [
        { name: 'users page 1', value: first, unit: 'ms', note },
        { name: `users page ${FAR_PAGE}`, value: far, unit: 'ms', against: { name: 'page 1', value: first }, note },
      ]
    } finally {
      await server.stop()
    }
  } finally {
    data.remove()
  }
}
