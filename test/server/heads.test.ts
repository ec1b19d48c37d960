import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { basic, openTestServer, type TestServer } from '../support/http.ts'
import { addInstall } from '../support/installs.ts'

/** The heads of answers as they go over the wire, line by line: clients and proxies know them. */
describe('heads of answers', () => {
  let test: TestServer
  let server: string
  let device: string

  before(async () => {
    test = await openTestServer()
    await addInstall(test.program, test.first.id, 'i1', { user: 'u1' })
    server = `Authorization: ${basic(test.first.apiKey, test.first.serverKey)}`
    device = `Authorization: ${basic(test.first.apiKey, test.first.secretKey)}`
  })
  after(() => test.close())

  /** Sends one request and returns the lines of the answer's head without the date, and the body. */
  async function ask(request: string, headers: string[] = [], body = ''): Promise<{ head: string[]; body: string }> {
    const { hostname, port } = new URL(test.address)
    const socket = connect(Number(port), hostname)
    const lines = [
      `${request.replace('{apiKey}', test.first.apiKey)} HTTP/1.1`,
      'Host: x',
      'Connection: close',
      ...headers,
    ]
    if (body !== '') lines.push('Content-Type: application/json', `Content-Length: ${body.length}`)
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    await once(socket, 'close')
    const [head = '', ...rest] = text.split('\r\n\r\n')
    const isOurs = (line: string) => !line.startsWith('Date: ')
    return { head: head.split('\r\n').filter(isOurs), body: rest.join('\r\n\r\n') }
  }

  const PLAIN = 'X-Content-Type-Options: nosniff'
  const CORS = [
    'Access-Control-Allow-Origin: *',
    'Access-Control-Allow-Headers: authorization, content-type, accept',
    'Access-Control-Allow-Methods: GET, POST, PUT, DELETE',
    'Access-Control-Max-Age: 86400',
  ]
  const END = 'Connection: close'
  const json = (length: number) => ['Content-Type: application/json; charset=utf-8', `Content-Length: ${length}`, END]
  const ATTRIBUTES = '/crm/v1/users/u1/attributes'
  const EVENTS = '/v1/app-installs/i1/events'
  const CHALLENGE = 'WWW-Authenticate: Basic realm="appsvc", charset="UTF-8"'

  type Keys = 'none' | 'server' | 'device'
  /** In an order in which each finds what it needs. */
  const rows: [request: string, keys: Keys, sent: string, head: string[], body?: string][] = [
    ['GET /healthz', 'none', '', ['200 OK', PLAIN, ...json(15)], '{"status":"ok"}'],
    ['HEAD /healthz', 'none', '', ['200 OK', PLAIN, ...json(15)], ''],
    ['POST /healthz', 'none', '{}', ['404 Not Found', PLAIN, ...json(40)]],
    ['GET /nothing', 'none', '', ['404 Not Found', PLAIN, ...json(40)]],
    ['HEAD /nothing', 'none', '', ['404 Not Found', PLAIN, ...json(40)], ''],
    ['GET /crm/%ff', 'server', '', ['400 Bad Request', PLAIN, ...json(55)]],
    [`OPTIONS /events${EVENTS}`, 'none', '', ['204 No Content', ...CORS, PLAIN, 'Allow: POST, OPTIONS', END], ''],
    [`DELETE ${EVENTS}`, 'none', '', ['405 Method Not Allowed', ...CORS, PLAIN, 'Allow: POST, OPTIONS', ...json(50)]],
    ['DELETE /crm/v2/users', 'server', '', ['405 Method Not Allowed', PLAIN, 'Allow: GET, HEAD, OPTIONS', ...json(57)]],
    [`GET ${ATTRIBUTES}`, 'none', '', ['401 Unauthorized', PLAIN, CHALLENGE, ...json(87)]],
    [
      `PUT ${ATTRIBUTES}`,
      'server',
      '{"x":"\\u00c4"}',
      ['200 OK', PLAIN, ...json(43)],
      '{"identifier":"u1","attributes":{"x":"Ä"}}',
    ],
    [`PUT ${ATTRIBUTES}`, 'server', '[1]', ['422 Unprocessable Entity', PLAIN, ...json(65)]],
    [`GET ${ATTRIBUTES}`, 'server', '', ['200 OK', PLAIN, ...json(10)], '{"x":"Ä"}'],
    [`HEAD ${ATTRIBUTES}`, 'server', '', ['200 OK', PLAIN, ...json(10)], ''],
    [
      `PUT ${ATTRIBUTES}`,
      'server',
      '{ "b": 1.0e3, "2": "\\u2028", "1": [ 1E-7, 1, -0 ], "b": {} }',
      ['200 OK', PLAIN, ...json(66)],
    ],
    [`GET ${ATTRIBUTES}`, 'server', '', ['200 OK', PLAIN, ...json(33)], '{"1":[1e-7,1,0],"2":"\u2028","b":{}}'],
    [`DELETE ${ATTRIBUTES}`, 'server', '', ['204 No Content', PLAIN, END], ''],
    ['HEAD /crm/v2/users?currentPage=1&numberPerPage=2', 'server', '', ['200 OK', PLAIN, 'ETag: …', ...json(527)], ''],
    [`POST /events${EVENTS}`, 'device', '[]', ['202 Accepted', ...CORS, PLAIN, ...json(2)], '{}'],
    ['POST /events/v1//app-installs/i1/events', 'device', '[]', ['202 Accepted', ...CORS, PLAIN, ...json(2)], '{}'],
    [`POST ${EVENTS}`, 'server', '[]', ['401 Unauthorized', ...CORS, PLAIN, CHALLENGE, ...json(87)]],
    ['GET /v1/web/config', 'device', '', ['200 OK', ...CORS, PLAIN, 'Cache-Control: private, no-cache', ...json(49)]],
    [
      'PUT /v1/app-installs/i1/location',
      'device',
      '{"latitude":1,"longitude":2}',
      ['204 No Content', ...CORS, PLAIN, END],
      '',
    ],
    [
      'POST /push/safari/{apiKey}/v2/log',
      'none',
      '{"logs":[]}',
      ['200 OK', ...CORS, PLAIN, 'Content-Length: 0', END],
      '',
    ],
  ]
  for (const [request, keys, sent, head, body] of rows) {
    it(`${request}${sent === '' ? '' : ` with ${sent}`}, keys: ${keys}`, async () => {
      const answer = await ask(request, keys === 'none' ? [] : [keys === 'server' ? server : device], sent)
      const told = answer.head.map((line) => line.replace(/^ETag: "[\w-]{27}"$/, 'ETag: …'))
      expect(told).to.eql([`HTTP/1.1 ${head[0]}`, ...head.slice(1)])
      if (body !== undefined) expect(answer.body).to.equal(body)
    })
  }
})
