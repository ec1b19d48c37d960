import { expect } from 'chai'
import { fromMessagesForm, messagesForm } from '../../../src/domain/notifications/schema.ts'
import { SOURCE } from '../../../src/domain/notifications/types.ts'
import { readPicture } from '../../../src/domain/pictures/schema.ts'
import type { Picture } from '../../../src/domain/pictures/types.ts'
import { parseJson } from '../../../src/platform/values/parse.ts'
import { smallGif, smallPng } from '../../support/pictures.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'
import { alert, heading } from '../../support/templates.ts'

onEachDatabase('pictures', (kind) => {
  let test: TestProgram
  let appId: number
  before(async () => {
    test = await openTestProgram({
      kind,
      settings: { baseUrl: 'https://push.example.com', 'limits.pictures': '4', 'limits.pictureBytes': '1000' },
    })
  })
  beforeEach(async () => {
    appId = (await test.program.inTransaction((tx) => tx.apps.create({ name: 'App' }))).id
  })
  after(() => test.close())

  const add = (bytes: Buffer, name = 'a.png', app = appId) => {
    const given = readPicture(name, bytes)
    return test.program.inTransaction((tx) => tx.pictures.add(app, given.name, given.picture))
  }
  const stored = async (red = 1): Promise<Picture & { url: string }> => {
    const { picture } = await add(smallPng({ red }))
    return { ...picture, url: test.program.pictures.urlOf(picture) }
  }
  const remove = (uid: string, isForced = false) =>
    test.program.inTransaction((tx) => tx.pictures.delete(appId, uid, isForced))
  const usesOf = async (uid: string) => (await test.program.pictures.uses(appId, uid)).uses
  const refusal = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'none',
      (error: Error) => error.message,
    )
  const send = (pictureUrl: string) =>
    test.program.inTransaction((tx) =>
      tx.sends.accept(
        appId,
        SOURCE.messages,
        fromMessagesForm(
          parseJson(messagesForm, {
            target: { broadcast: true },
            content: { title: 'T', message: 'M' },
            ios: { media: { pictureUrl } },
          }),
        ),
      ),
    )

  it('one is the icon of its app: it counts as used, is deleted only by force, and the app has none then', async () => {
    const [first, second] = [await stored(1), await stored(2)]
    const choose = (name: string | null, app = appId) =>
      test.program.inTransaction((tx) => tx.pictures.setIcon(app, name))
    await choose(first.url)
    expect(await usesOf(first.uid)).to.deep.equal([{ kind: 'app', id: String(appId) }])
    await choose(second.uid)
    expect(await usesOf(first.uid), 'in place of the one before').to.deep.equal([])
    expect(await test.program.pictures.iconUrl(appId)).to.equal(second.url)
    const unused = await test.program.pictures.list(appId, { used: false, limit: 10 })
    expect(unused.pictures.map(({ uid }) => uid)).to.deep.equal([first.uid])
    expect(await refusal(remove(second.uid))).to.include(`the picture is named by app ${appId}`)
    await remove(second.uid, true)
    expect(await test.program.pictures.iconUrl(appId)).to.equal(null)
    const other = (await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))).id
    expect(await refusal(choose(first.url, other)), 'of another app').to.equal('validation failed')
    await choose(first.url)
    await choose(null)
    expect(await usesOf(first.uid)).to.deep.equal([])
  })

  it('one that very many things name shows nowhere as icon once it is deleted by force', async () => {
    const picture = await stored()
    await test.program.inTransaction((tx) => tx.pictures.setIcon(appId, picture.uid))
    for (let i = 0; i < 51; i++) await send(picture.url)
    expect((await usesOf(picture.uid)).map((use) => use.kind)).to.not.include('app')
    const before = test.program.kernel.changes.count('linkSettings')
    await remove(picture.uid, true)
    expect(test.program.kernel.changes.count('linkSettings'), 'sites are read anew').to.be.above(before)
    expect(await test.program.pictures.iconUrl(appId)).to.equal(null)
  })

  it('of two who choose an icon at once one comes last, and an app goes with its icon', async () => {
    const [first, second] = [await stored(1), await stored(2)]
    await Promise.all(
      [first, second].map(({ uid }) => test.program.inTransaction((tx) => tx.pictures.setIcon(appId, uid))),
    )
    expect([first.url, second.url]).to.include(await test.program.pictures.iconUrl(appId))
    const used = await test.program.pictures.list(appId, { used: true, limit: 10 })
    expect(used.pictures).to.have.length(1)
    await test.program.inTransaction((tx) => tx.apps.delete(appId))
    expect(await test.program.pictures.iconUrl(appId)).to.equal(null)
  })

  it('are stored once for the same bytes, whatever else the file had and was called', async () => {
    const first = await add(smallPng(), 'C:\\photos\\one.jpg')
    expect(first.isNew).to.equal(true)
    expect(first.picture).to.include({ appId, name: 'one.jpg', kind: 'png', width: 2, height: 1, frames: 1 })
    const again = await add(smallPng({ tail: 'more' }), 'two.png')
    expect(again).to.deep.equal({ picture: first.picture, isNew: false })
    expect(await test.program.pictures.bytes(first.picture.uid, 'png')).to.deep.equal(smallPng())
    expect(await test.program.pictures.bytes(first.picture.uid, 'gif')).to.equal(undefined)
    expect(await test.program.pictures.room(appId)).to.include({ pictures: 1, size: smallPng().length })
    // Another app does not learn that it is there.
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const theirs = await add(smallPng(), 'a.png', other.id)
    expect(theirs.isNew).to.equal(true)
    expect(theirs.picture.uid).not.to.equal(first.picture.uid)
    expect(await refusal(test.program.pictures.get(other.id, first.picture.uid))).to.include('there is no picture')
  })

  it('are as many and as large as the settings allow, and none is half stored', async () => {
    for (let red = 1; red <= 4; red++) await stored(red)
    expect(await refusal(add(smallPng({ red: 5 })))).to.include('4 pictures, as many as it may have (limits.pictures)')
    const { uid } = await stored(1)
    await remove(uid)
    await stored(5)
    expect((await test.program.pictures.list(appId, { limit: 10 })).pictures).to.have.length(4)
    expect((await test.program.pictures.room(appId)).pictures).to.equal(4)
  })

  it('are refused when all together would be too large', async () => {
    await stored(1)
    const gif = smallGif({ parts: Array.from({ length: 70 }, () => smallGif().subarray(19, -1)) })
    expect(await refusal(add(gif))).to.include('at most 1000 are allowed (limits.pictureBytes)')
    expect((await test.program.pictures.room(appId)).pictures).to.equal(1)
  })

  it('added at the same time are counted exactly', async () => {
    const added = await Promise.allSettled([1, 2, 3, 4, 5, 6, 7, 8].map((red) => stored(red)))
    expect(added.filter(({ status }) => status === 'fulfilled')).to.have.length(4)
    const twice = await Promise.all([add(smallGif()), add(smallGif())].map((one) => refusal(one)))
    expect(twice.every((why) => why.includes('as many as it may have'))).to.equal(true)
    expect((await test.program.pictures.room(appId)).pictures).to.equal(4)
  })

  it('are listed newest first, by whether something names them', async () => {
    const [first, second, third] = [await stored(1), await stored(2), await stored(3)]
    await send(second.url)
    const page = await test.program.pictures.list(appId, { limit: 2 })
    expect(page.pictures.map(({ uid, isUsed }) => [uid, isUsed])).to.deep.equal([
      [third.uid, false],
      [second.uid, true],
    ])
    const rest = await test.program.pictures.list(appId, { limit: 2, after: page.next! })
    expect([rest.pictures.map(({ uid }) => uid), rest.next]).to.deep.equal([[first.uid], null])
    const only = async (used: boolean) =>
      (await test.program.pictures.list(appId, { limit: 9, used })).pictures.map(({ uid }) => uid)
    expect(await only(true)).to.deep.equal([second.uid])
    expect(await only(false)).to.deep.equal([third.uid, first.uid])
  })

  /** Everything that may name a picture: how it is made, and how it goes. */
  it('know what names them, wherever it stands, and stay while it does', async () => {
    const { uid, url } = await stored()
    await send(url)
    await test.program.inTransaction(async (tx) => {
      await tx.pushTemplates.create(appId, {
        uid: 'p',
        body: {
          content: { title: 'T', message: 'M', languages: { de: { title: 'T', message: 'M', pictureUrl: url } } },
        },
      })
      await tx.templates.create(appId, {
        uid: 't',
        content: alert([heading()]) as never,
        tags: [],
        sample: { at: url },
      })
      await tx.links.create(appId, [
        {
          linkData: {},
          desktopWebFallbackUrl: 'https://example.com',
          mobileWebFallbackUrl: 'https://example.com',
          pictureUrl: url,
        },
      ])
    })
    const kinds = (await usesOf(uid)).map((use) => use.kind)
    expect(kinds).to.have.members(['notification', 'push template', 'template', 'deep link'])
    const why = await refusal(remove(uid))
    expect(why).to.match(/^the picture is named by .+, .+, .+ and others, which would show nothing/)

    const link = (await test.program.links.list(appId, { limit: 1 })).links[0]!
    await test.program.inTransaction(async (tx) => {
      await tx.links.update(appId, link.id, { pictureUrl: null })
      await tx.pushTemplates.delete(appId, 'p')
      await tx.templates.delete(appId, 't')
    })
    expect((await usesOf(uid)).map((use) => use.kind)).to.deep.equal(['notification'])
    expect(await refusal(remove(uid))).to.match(/^the picture is named by notification \d+, which/)
    await remove(uid, true)
    expect(await refusal(test.program.pictures.get(appId, uid))).to.include('there is no picture')
    expect(await test.program.pictures.bytes(uid, 'png')).to.equal(undefined)
    expect(await test.program.pictures.room(appId)).to.include({ pictures: 0, size: 0 })
  })

  it('are not used by addresses that only look like theirs, and not by another app', async () => {
    const { uid, url } = await stored()
    for (const address of [url.replace('.png', '.svg'), url.replace(uid, uid.slice(1)), `${url}x`, url.toUpperCase()]) {
      await send(address)
    }
    expect(await usesOf(uid)).to.deep.equal([])
    const mine = appId
    appId = (await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))).id
    await send(url)
    appId = mine
    expect(await usesOf(uid)).to.deep.equal([])
    await remove(uid)
  })

  it('go with their app', async () => {
    const { uid } = await stored()
    await test.program.inTransaction((tx) => tx.apps.close(appId))
    for (
      let step = 0;
      (await test.program.inTransaction((tx) => tx.apps.clear(appId, step, 100))) !== undefined;
      step++
    );
    await test.program.inTransaction((tx) => tx.apps.delete(appId))
    expect(await test.program.pictures.bytes(uid, 'png')).to.equal(undefined)
  })
})
