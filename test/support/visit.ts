import { type IncomingHttpHeaders, request } from 'node:http'

export interface Visited {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

export interface Visit {
  /** The Host header. */
  host: string
  /** The path as it stands in the request line. */
  path: string
  method?: string
  agent?: string
  headers?: Record<string, string>
}

/** One request as a browser makes it, to a server that is told its host name; no redirect is followed. */
export function visit(address: string, { host, path, method = 'GET', agent, headers = {} }: Visit): Promise<Visited> {
  const { hostname, port } = new URL(address)
  const { promise, resolve, reject } = Promise.withResolvers<Visited>()
  const sent = request({
    hostname,
    port,
    path,
    method,
    headers: { host, ...(agent !== undefined && { 'user-agent': agent }), ...headers },
  })
  sent.on('error', reject)
  sent.on('response', async (response) => {
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    resolve({ status: response.statusCode!, headers: response.headers, text: Buffer.concat(chunks).toString() })
  })
  sent.end()
  return promise
}
