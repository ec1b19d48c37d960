import { request } from 'node:http'
import { expect } from 'chai'
import { basic, openTestServer, type TestServer } from '../support/http.ts'
import { formWith, smallGif, smallJpeg, smallPng } from '../support/pictures.ts'
import { onSqliteDaily } from '../support/program.ts'

const PATH = '/messages/v1/pictures'
const PNG = smallPng()

interface Made {
  uid: string
  url: string
}

onSqliteDaily('the interface of pictures', (kind) => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ kind, settings: { 'limits.picture': '4000', 'limits.pictures': '5' } })
  })
  beforeEach(() => test.startOver())
  after(() => test.close())

  const upload = (bytes: Buffer, name = 'a.png', type = 'image/png') =>
    test.call('POST', PATH, formWith(name, type, bytes))
  const made = async (bytes = PNG): Promise<Made> => (await upload(bytes)).body as Made
  const fetched = (path: string, init: RequestInit = {}) => fetch(test.address + path, init)
  const pathOf = ({ url }: Made) => new URL(url).pathname

  it('asks for the server key everywhere', async () => {
    for (const [method, path] of [
      ['POST', PATH],
      ['GET', PATH],
      ['GET', `${PATH}/x`],
      ['DELETE', `${PATH}/x`],
    ] as const) {
      for (const auth of ['none', 'device', 'Basic !', basic(test.first.apiKey, 'x')]) {
        const { status } = await test.call(method, path, { auth, ...(method === 'POST' && formWith('a', 'a/b', PNG)) })
        expect(status, `${method} ${path}`).to.equal(401)
      }
    }
  })

  it('refuses one more than the app may have, with what to do', async () => {
    for (let i = 0; i < 5; i++) expect((await upload(smallPng({ width: i + 3 }))).status, String(i)).to.equal(201)
    const { status, body } = await upload(PNG)
    expect(status).to.equal(409)
    expect((body as { error: string }).error)
      .to.include('limits.pictures')
      .and.include('delete some')
  })

  it('stores, shows, lists and deletes a picture', async () => {
    const stored = await upload(PNG, 'croissants.png')
    expect(stored.status).to.equal(201)
    const { uid, url, ...known } = stored.body as Made & Record<string, unknown>
    expect(known).to.deep.equal({
      appId: test.first.id,
      name: 'croissants.png',
      kind: 'png',
      width: 2,
      height: 1,
      frames: 1,
      size: PNG.length,
      createdAt: '2026-03-01 12:00:00',
    })
    expect(url).to.match(new RegExp(`^http://localhost:\\d+/pictures/${uid}\\.png$`))
    const again = await upload(PNG, 'other.png')
    expect([again.status, again.body]).to.deep.equal([200, stored.body])
    expect((await test.call('GET', `${PATH}/${uid}`)).body).to.deep.equal({
      ...(stored.body as object),
      uses: [],
      hasMore: false,
    })
    expect((await test.call('GET', PATH)).body).to.deep.equal({
      pictures: [{ ...(stored.body as object), isUsed: false }],
      next: null,
      room: { pictures: 1, size: PNG.length, maxPictures: 5, maxSize: 268_435_456 },
    })
    expect((await test.call('DELETE', `${PATH}/${uid}`)).status).to.equal(204)
    expect((await test.call('GET', `${PATH}/${uid}`)).status).to.equal(404)
    expect((await test.call('DELETE', `${PATH}/${uid}`)).status).to.equal(404)
  })

  it('keeps a picture that is in use, unless it is forced', async () => {
    const { uid, url } = await made()
    const body = { target: { broadcast: true }, content: { title: 'T', message: 'M' }, android: { pictureUrl: url } }
    await test.call('POST', '/messages/v2/notifications', { body })
    const kept = await test.call('DELETE', `${PATH}/${uid}`)
    expect(kept.status).to.equal(409)
    expect((kept.body as { error: string }).error).to.include('named by notification')
    expect((await test.call('GET', `${PATH}?used=true`)).body).to.have.nested.property('pictures[0].isUsed', true)
    expect((await test.call('DELETE', `${PATH}/${uid}?force=true`)).status).to.equal(204)
  })

  it('goes by the bytes, not by name and type', async () => {
    const jpeg = await upload(smallJpeg(), 'page.html', 'text/html')
    expect(jpeg.body).to.include({ kind: 'jpeg', name: 'page.html' })
    expect((jpeg.body as Made).url).to.match(/\.jpg$/)
    const page = await upload(Buffer.from('<html>'), 'a.png')
    expect(page.status).to.equal(422)
    expect(page.body).to.have.nested.property('errors.file[0]', 'is no PNG, JPEG, WebP or GIF')
  })

  it('refuses what is too large, no file, two files, and what is no form', async () => {
    const large = await upload(Buffer.concat([PNG, Buffer.alloc(4000)]))
    expect([large.status, (large.body as { error: string }).error]).to.deep.equal([
      413,
      'the picture is larger than 4000 bytes (limits.picture): save it smaller, or with more compression',
    ])
    const form = (text: string) =>
      test.call('POST', PATH, {
        body: Buffer.from(text),
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
      })
    const part = 'Content-Disposition: form-data; name="file"; filename="a.png"\r\n\r\na\r\n'
    expect((await form('--x--\r\n')).status).to.equal(422)
    expect((await form(`--x\r\n${part}--x\r\n${part}--x--\r\n`)).status).to.equal(422)
    expect((await form(`--x\r\n${part}`)).status).to.equal(422)
    expect((await form('what?')).status).to.equal(422)
    expect((await test.call('POST', PATH, { body: { a: 1 } })).status).to.equal(415)
    expect((await upload(Buffer.alloc(0))).status).to.equal(422)
    expect((await upload(PNG, 'a\0b.png')).status).to.equal(422)
    for (const query of ['limit=0', 'limit=201', 'after=x', 'used=maybe']) {
      expect((await test.call('GET', `${PATH}?${query}`)).status, query).to.equal(422)
    }
    expect((await test.call('DELETE', `${PATH}/x?force=maybe`)).status).to.equal(422)
    expect((await test.call('GET', `${PATH}/%00`)).status).to.equal(404)
    expect((await test.call('GET', PATH)).body).to.have.deep.property('pictures', [])
  })

  it('serves the bytes to everybody, for ever, as what they are and nothing else', async () => {
    const picture = await made(smallPng({ tail: '<script>' }))
    const got = await fetched(pathOf(picture))
    expect(got.status).to.equal(200)
    expect(Buffer.from(await got.arrayBuffer())).to.deep.equal(PNG)
    const etag = `"${picture.uid}"`
    expect(Object.fromEntries(got.headers)).to.include({
      'content-type': 'image/png',
      'content-length': String(PNG.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      etag,
    })
    const known = await fetched(pathOf(picture), { headers: { 'if-none-match': etag } })
    expect([known.status, await known.text(), known.headers.get('etag')]).to.deep.equal([304, '', etag])
    const head = await fetched(pathOf(picture), { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).to.deep.equal([
      200,
      String(PNG.length),
      '',
    ])
    expect((await fetched(`${pathOf(picture)}?x=1`)).status).to.equal(200)
    const gif = await made(smallGif())
    expect((await fetched(pathOf(gif))).headers.get('content-type')).to.equal('image/gif')
  })

  it('has nothing at any other address below, and takes no other method', async () => {
    const path = pathOf(await made())
    for (const other of [
      path.replace('.png', '.jpg'),
      path.replace('.png', ''),
      '/pictures/',
      '/pictures/x',
      `${path}/`,
      '/pictures/%00.png',
    ]) {
      const { status, headers } = await fetched(other)
      expect([status, headers.get('cache-control')], other).to.deep.equal([404, 'no-store'])
    }
    const { status, headers } = await fetched(path, { method: 'POST' })
    expect([status, headers.get('allow')]).to.deep.equal([405, 'GET, HEAD'])
  })

  it('shows a deleted picture for a minute at most', async () => {
    const picture = await made()
    expect((await fetched(pathOf(picture))).status).to.equal(200)
    await test.call('DELETE', `${PATH}/${picture.uid}`)
    test.clock.advance(60_001)
    expect((await fetched(pathOf(picture))).status).to.equal(404)
  })

  it('is the picture that chats show of a link, until the link has none', async () => {
    const { uid, url } = await made()
    const target = { desktopWebFallbackUrl: 'https://example.com', mobileWebFallbackUrl: 'https://example.com' }
    const body = [{ slug: 'offer', linkData: {}, pictureUrl: url, ...target }]
    const [link] = (await test.call('POST', '/links/v1/deep-links', { body })).body as { id: number; url: string }[]
    const at = `/links/v1/deep-links/${link!.id}`
    expect((await test.call('GET', at)).body).to.include({ pictureUrl: url })
    const card = async () => {
      const { host, pathname } = new URL(link!.url)
      const headers = { 'user-agent': 'WhatsApp/2.23', host }
      const { promise, resolve } = Promise.withResolvers<string>()
      request(test.address + pathname, { headers }, (response) => {
        let text = ''
        response.on('data', (piece: Buffer) => (text += piece.toString()))
        response.on('end', () => resolve(text))
      }).end()
      return promise
    }
    expect(await card())
      .to.include(`<meta property="og:image" content="${url}">`)
      .and.include('content="summary_large_image"')
    expect((await test.call('DELETE', `${PATH}/${uid}`)).status).to.equal(409)
    for (const wrong of ['nowhere', 'ftp://example.com/p.png', 'javascript:alert(1)', 5]) {
      expect((await test.call('PATCH', at, { body: { pictureUrl: wrong } })).status).to.equal(422)
    }
    await test.call('PATCH', at, { body: { lookupLimit: 5 } })
    expect((await test.call('GET', at)).body).to.include({ pictureUrl: url })
    await test.call('PATCH', at, { body: { pictureUrl: null } })
    expect((await test.call('GET', at)).body).not.to.have.property('pictureUrl')
    expect((await test.call('DELETE', `${PATH}/${uid}`)).status).to.equal(204)
  })

  it('holds no connection to the database while somebody reads slowly', async () => {
    const path = pathOf(await made())
    const sockets = await Promise.all(
      Array.from(
        { length: 40 },
        () =>
          new Promise<{ destroy(): void }>((resolve) => {
            const asked = request(test.address + path, { agent: false }, (response) => resolve(response))
            asked.end()
          }),
      ),
    )
    expect((await test.call('GET', PATH)).status).to.equal(200)
    for (const socket of sockets) socket.destroy()
  })
})
