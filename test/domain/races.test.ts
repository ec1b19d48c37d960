import { expect } from 'chai'
import { createBanner, newBanner } from '../../src/domain/links/banners/schema.ts'
import { fromMessagesForm, messagesForm } from '../../src/domain/notifications/schema.ts'
import { SOURCE } from '../../src/domain/notifications/types.ts'
import { readPicture } from '../../src/domain/pictures/schema.ts'
import { collect } from '../../src/platform/concurrency/chunks.ts'
import { parseJson } from '../../src/platform/values/parse.ts'
import { addInstall } from '../support/installs.ts'
import { newLink } from '../support/links.ts'
import { addPerson } from '../support/people.ts'
import { smallPng } from '../support/pictures.ts'
import { onPostgres, type TestProgram } from '../support/program.ts'
import { race } from '../support/race.ts'
import { sharedDatabase } from '../support/shared-database.ts'

/** SQLite has one writer: only PostgreSQL lets two transactions meet. */
onPostgres('two transactions that meet', () => {
  let test: TestProgram
  let appId: number
  const openShared = sharedDatabase('postgres')
  beforeEach(async () => {
    test = await openShared()
    appId = test.first.id
  })
  afterEach(() => test.close())

  const rows = (table: string) => test.program.kernel.db.read(table)
  const outcome = (result: PromiseSettledResult<unknown>) =>
    result.status === 'fulfilled' ? 'done' : (result.reason as Error).message

  it('and give installs to the same users in opposite orders do not wait for each other in a circle', async () => {
    const { program, clock } = test
    const installs = new Map<string, number>()
    // Each belongs to somebody known: an anonymous user would leave the list with his install, and that alone makes others wait.
    for (const name of ['one', 'two', 'three', 'four']) {
      installs.set(name, await addInstall(program, appId, name, { user: `owner of ${name}` }))
    }
    await program.inTransaction(async ({ crm }) => {
      for (const user of ['ann', 'bob']) await crm.putAttributes(appId, user, {})
    })
    const give = (installId: string, user: string) => async (tx: Pick<typeof program, 'crm'>) =>
      tx.crm.associate(appId, { installId, row: installs.get(installId)! }, user, { at: clock.now() })
    let runs = 0
    const { one, two, hadToWait } = await race(
      program,
      async (tx, meet) => {
        runs++
        await give('one', 'ann')(tx)
        await meet()
        await give('two', 'bob')(tx)
      },
      async (tx) => {
        runs++
        await give('three', 'bob')(tx)
        await give('four', 'ann')(tx)
      },
    )
    // One that waits in a circle would be ended by the database, and perhaps run again.
    expect([outcome(one), outcome(two), hadToWait, runs]).to.deep.equal(['done', 'done', true, 2])
    for (const user of ['ann', 'bob']) {
      expect((await program.crm.showUser(appId, user)).installs, user).to.have.length(2)
    }
    const listed: { install_count: number }[] = await rows('users').whereIn('identifier', ['ann', 'bob'])
    expect(listed.map((row) => row.install_count)).to.deep.equal([2, 2])
  })

  describe('about a channel', () => {
    let channelId: number
    beforeEach(async () => {
      const { program } = test
      channelId = (await program.inTransaction((tx) => tx.channels.create(appId, { uuid: 'a' }))).id
      await program.inTransaction((tx) => tx.channels.create(appId, { uuid: 'b' }))
      await addInstall(program, appId, 'phone', { user: 'ann' })
    })

    const SIDES: Record<string, (tx: Pick<TestProgram['program'], 'subscriptions'>) => Promise<unknown>> = {
      'a server': ({ subscriptions: side }) =>
        side.changeSubscribers(
          appId,
          channelId,
          { userIds: ['ann'], installIds: ['phone'] },
          { subscribe: true, all: false },
        ),
      'a user': ({ subscriptions: side }) => side.changeByUser(appId, 'ann', 'add', ['a']),
      'a device': ({ subscriptions: side }) => side.changeByInstall(appId, 'phone', 'add', ['a']),
    }
    const subscriptions = async () => [await rows('channel_users'), await rows('channel_installs')].flat()
    const clearAway = async () => {
      while (await test.program.inTransaction((tx) => tx.channels.clearAway()));
    }

    for (const [who, subscribe] of Object.entries(SIDES)) {
      it(`one in which ${who} subscribes keeps it until its commit: who deletes it waits, and nothing is left`, async () => {
        const { one, two, hadToWait } = await race(
          test.program,
          async (tx, meet) => {
            await subscribe(tx)
            await meet()
          },
          (tx) => tx.channels.delete(appId, channelId),
        )
        expect([outcome(one), outcome(two), hadToWait]).to.deep.equal(['done', 'done', true])
        await clearAway()
        expect(await subscriptions()).to.deep.equal([])
      })

      it(`one in which ${who} subscribes while it is being deleted subscribes nobody`, async () => {
        const { two } = await race(
          test.program,
          async (tx, meet) => {
            await tx.channels.delete(appId, channelId)
            await meet()
          },
          async (tx) => subscribe(tx).catch(() => undefined),
        )
        expect(two.status).to.equal('fulfilled')
        await clearAway()
        expect(await subscriptions()).to.deep.equal([])
      })
    }

    it('and replace all subscriptions of one user leave those of the later one alone', async () => {
      const replace = (uuid: string) => (tx: Pick<TestProgram['program'], 'subscriptions'>) =>
        tx.subscriptions.changeByUser(appId, 'ann', 'replace', [uuid])
      const { one, two } = await race(
        test.program,
        async (tx, meet) => {
          await replace('a')(tx)
          await meet()
        },
        replace('b'),
      )
      expect([outcome(one), outcome(two)]).to.deep.equal(['done', 'done'])
      const seen = await collect(await test.program.subscriptions.seenByUser(appId, 'ann'))
      expect(seen.filter(({ subscribed }) => subscribed).map(({ uuid }) => uuid)).to.deep.equal(['b'])
    })
  })

  describe('about a segment', () => {
    let segment: { id: number; uuid: string }
    beforeEach(async () => {
      const filter = { field: 'os', op: 'exists', value: false } as const
      segment = await test.program.inTransaction((tx) => tx.segments.create(appId, { name: 'S', filter }))
      await addInstall(test.program, appId, 'phone')
    })
    const send = (tx: Pick<TestProgram['program'], 'sends'>) => {
      const body = parseJson(messagesForm, {
        target: { segmentUuid: segment.uuid },
        content: { title: 'T', message: 'M' },
        schedule: { sendAt: '2099-01-01 12:00', strategy: 'utc', pastTimes: 'ignore' },
      })
      return tx.sends.accept(appId, SOURCE.messages, fromMessagesForm(body))
    }
    const remove = (tx: Pick<TestProgram['program'], 'segments'>) => tx.segments.delete(appId, { id: segment.id })

    it('one that is to be sent to it keeps it: who deletes it waits, and is refused', async () => {
      const { one, two, hadToWait } = await race(
        test.program,
        async (tx, meet) => {
          await send(tx)
          await meet()
        },
        remove,
      )
      expect([outcome(one), hadToWait]).to.deep.equal(['done', true])
      expect(outcome(two)).to.include('is the target of notification')
      expect(await test.program.segments.get(appId, { id: segment.id })).to.include({ uuid: segment.uuid })
    })

    it('nothing is accepted for one that is being deleted', async () => {
      const { one, two, hadToWait } = await race(
        test.program,
        async (tx, meet) => {
          await remove(tx)
          await meet()
        },
        send,
      )
      expect([outcome(one), two.status, hadToWait]).to.deep.equal(['done', 'rejected', true])
      expect(await rows('notifications')).to.deep.equal([])
    })
  })

  describe('about the settings of an app', () => {
    it('and change different link settings keep both changes', async () => {
      const { one, two, hadToWait } = await race(
        test.program,
        async ({ links }, meet) => {
          await links.configure(appId, { color: '#0b6157' })
          await meet()
        },
        ({ links }) => links.configure(appId, { fingerprintWindow: 60 }),
      )
      expect([outcome(one), outcome(two), hadToWait]).to.deep.equal(['done', 'done', true])
      const { settings } = await test.program.links.site(appId)
      expect(settings).to.include({ color: '#0b6157', fingerprintWindow: 60 })
    })

    it('and change different rules of its sends keep both changes', async () => {
      const { one, two, hadToWait } = await race(
        test.program,
        async ({ apps }, meet) => {
          await apps.restrain(appId, { confirmAbove: 7 })
          await meet()
        },
        ({ apps }) => apps.restrain(appId, { cap: { count: 1, hours: 24 } }),
      )
      expect([outcome(one), outcome(two), hadToWait]).to.deep.equal(['done', 'done', true])
      const { confirmAbove, cap } = await test.program.apps.restraint(appId)
      expect({ confirmAbove, cap }).to.deep.equal({ confirmAbove: 7, cap: { count: 1, hours: 24 } })
    })

    it('and replace its server key leave the key of the later one alone', async () => {
      const rotate = ({ apps }: Pick<TestProgram['program'], 'apps'>) => apps.rotate(appId, 'server', 0)
      const { one, two, hadToWait } = await race(
        test.program,
        async (tx, meet) => {
          await rotate(tx)
          await meet()
        },
        rotate,
      )
      expect([outcome(one), outcome(two), hadToWait]).to.deep.equal(['done', 'done', true])
      const inForce = (await test.program.apps.keys(appId)).filter(
        ({ kind, expiresAt }) => kind === 'server' && (expiresAt === null || expiresAt > test.clock.now()),
      )
      expect(inForce).to.have.length(1)
    })

    it('and claim one domain for two apps: the later one is refused, and told why', async () => {
      const other = await test.program.inTransaction(({ apps }) => apps.create({ name: 'Other' }))
      const domain = 'go.example.com'
      const { one, two, hadToWait } = await race(
        test.program,
        async ({ links }, meet) => {
          await links.configure(appId, { domain })
          await meet()
        },
        ({ links }) => links.configure(other.id, { domain }),
      )
      expect([outcome(one), hadToWait]).to.deep.equal(['done', true])
      expect(two)
        .to.have.nested.property('reason.details.fields.domain')
        .that.deep.equals(['is already the domain of another app'])
      expect((await test.program.links.siteOfHost(domain))?.appId).to.equal(appId)
    })

    it('and choose a picture as icon that is being deleted: it is either gone, or stays', async () => {
      const { program } = test
      const upload = async () => {
        const { name, picture } = readPicture('a.png', smallPng())
        return (await program.inTransaction(({ pictures }) => pictures.add(appId, name, picture))).picture
      }
      const { uid } = await upload()
      const choose = ({ pictures }: Pick<TestProgram['program'], 'pictures'>) => pictures.setIcon(appId, uid)
      const remove = ({ pictures }: Pick<TestProgram['program'], 'pictures'>) => pictures.delete(appId, uid, false)
      const chosen = await race(program, (tx, meet) => choose(tx).then(meet), remove)
      expect([outcome(chosen.one), chosen.hadToWait]).to.deep.equal(['done', true])
      expect(outcome(chosen.two)).to.include(`the picture is named by app ${appId}`)
      await program.inTransaction(({ pictures }) => pictures.setIcon(appId, null))
      const removed = await race(program, (tx, meet) => remove(tx).then(meet), choose)
      expect([outcome(removed.one), removed.hadToWait]).to.deep.equal(['done', true])
      expect(removed.two).to.have.nested.property('reason.details.fields.iconUrl')
      expect(await program.pictures.iconUrl(appId)).to.equal(null)
    })
  })

  describe('about a send for which a due time at which nobody was gets a run', () => {
    let id: number
    const runs = () => rows('runs').where({ notification_id: id, state: 'due' }).orderBy('due_at')

    /** A send by local time of which the first due time, at which somebody has come to be, is due. */
    beforeEach(async () => {
      const { program, clock } = test
      await addInstall(program, appId, 'phone')
      const schedule = { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'ignore' }
      const body = { target: { broadcast: true }, content: { title: 'T', message: 'M' }, schedule }
      const request = fromMessagesForm(parseJson(messagesForm, body))
      id = (await program.inTransaction((tx) => tx.sends.accept(appId, SOURCE.messages, request))).notification!.id
      clock.set(((await runs().first()) as { due_at: number }).due_at)
      const data = { device: { tz: 'Etc/GMT-14' } }
      const moved = { type: 'k.stats.installTracked', uuid: 'moved', timestamp: clock.now(), data }
      await program.inTransaction((tx) => tx.events.ingest(appId, 'phone', [moved]))
    })

    async function read() {
      const [due] = await test.program.ledger.dueRuns(test.clock.now(), 1)
      return test.program.fanOut.read((await test.program.fanOut.open(due!))!)
    }

    it('and close its app leave no run of it due', async () => {
      const ready = await read()
      const { one, two, hadToWait } = await race(
        test.program,
        async (tx, meet) => {
          await tx.fanOut.store(ready)
          await meet()
        },
        (tx) => tx.runs.cancelOpen(appId, 'its app is being deleted', test.clock.now()),
      )
      expect([outcome(one), outcome(two), hadToWait]).to.deep.equal(['done', 'done', true])
      expect(await runs()).to.deep.equal([])
    })

    it('and edit it leave the runs of the edit alone', async () => {
      const { program } = test
      const ready = await read()
      const { one, two, hadToWait } = await race(
        program,
        async (tx, meet) => {
          await tx.fanOut.store(ready)
          await meet()
        },
        (tx) => tx.edits.edit(appId, id, { target: { installIds: ['phone'] } }),
      )
      expect([outcome(one), outcome(two), hadToWait]).to.deep.equal(['done', 'done', true])
      const left: { due_at: number; kind: string; within: string }[] = await runs()
      // Where somebody is, the other times, the last of them, and those who move.
      expect(left.map(({ kind }) => kind)).to.have.members(['send', 'send', 'send', 'rest'])
      expect(left[0]!.within).to.include('Etc/GMT-14')
      expect(await rows('runs')).to.have.length(left.length)
    })

    it('and close its app do not wait for each other in a circle', async () => {
      const { program, clock } = test
      const ready = await read()
      await program.inTransaction((tx) => tx.fanOut.store(ready))
      const [inserted] = await program.ledger.dueRuns(clock.now(), 1)
      let begun = 0
      const { one, two } = await race(
        program,
        async (tx, meet) => {
          begun++
          await tx.ledger.lockRun(inserted!)
          await meet()
          // As a step does behind which no zone in use is due.
          await tx.runs.closeLaterRuns(id, clock.now())
        },
        async (tx) => {
          begun++
          await tx.runs.cancelOpen(appId, 'its app is being deleted', clock.now())
        },
      )
      expect([outcome(one), outcome(two), begun]).to.deep.equal(['done', 'done', 2])
    })
  })

  it('and delete a purpose while it is replaced make it anew', async () => {
    const fields = { name: 'News', description: '', default: true, required: false }
    await test.program.inTransaction((tx) => tx.purposes.put(appId, 'news', fields))
    const { one, two, hadToWait } = await race(
      test.program,
      async ({ purposes }, meet) => {
        await purposes.delete(appId, 'news')
        await meet()
      },
      ({ purposes }) => purposes.put(appId, 'news', fields),
    )
    expect([outcome(one), outcome(two), hadToWait]).to.deep.equal(['done', 'done', true])
    expect(two).to.have.nested.property('value.created', true)
    expect((await test.program.purposes.list(appId)).map(({ uid }) => uid)).to.deep.equal(['news'])
  })

  it('and delete a link, one of which locked it before, do not wait for each other in a circle', async () => {
    const [link] = await test.program.inTransaction((tx) => tx.links.create(appId, [newLink({})]))
    let begun = 0
    const { one, two, hadToWait } = await race(
      test.program,
      async ({ links }, meet) => {
        begun++
        await links.lock(appId, link!.id)
        await meet()
        await links.delete(appId, link!.id)
      },
      async ({ links }) => {
        begun++
        await links.delete(appId, link!.id)
      },
    )
    expect([outcome(one), hadToWait, begun]).to.deep.equal(['done', true, 2])
    expect(outcome(two)).to.include('there is no')
  })

  it('and change different parts of a banner keep both changes', async () => {
    const labels = { heading: 'H', body: 'B', acceptAction: 'Get', declineAction: 'No' }
    const { uuid } = await test.program.inTransaction(async (tx) => {
      await tx.links.create(appId, [newLink({ slug: 'banner' })])
      return tx.banners.create(appId, newBanner(parseJson(createBanner, { link: 'banner', labels })))
    })
    const { one, two, hadToWait } = await race(
      test.program,
      async ({ banners }, meet) => {
        await banners.update(appId, uuid, { labels: { ...labels, heading: 'New' } })
        await meet()
      },
      ({ banners }) => banners.update(appId, uuid, { position: 'top' }),
    )
    expect([outcome(one), outcome(two), hadToWait]).to.deep.equal(['done', 'done', true])
    const { design } = await test.program.banners.get(appId, uuid)
    expect([design.labels.heading, design.position]).to.deep.equal(['New', 'top'])
  })

  describe('about the owners of the server', () => {
    const VIEWER = [{ appId: null, role: 'viewer' as const }]

    it('and take the role from each other leave one of them', async () => {
      const [ann, bob] = [await addPerson(test.program), await addPerson(test.program)]
      const { one, two, hadToWait } = await race(
        test.program,
        async ({ admins }, meet) => {
          await admins.setRoles(ann.id, VIEWER)
          await meet()
        },
        ({ admins }) => admins.remove(bob.id),
      )
      expect([outcome(one), hadToWait]).to.deep.equal(['done', true])
      expect(outcome(two)).to.include('somebody has to own the server')
    })

    it('and give one address to two people: the later one is refused, and told why', async () => {
      const person = { email: 'new@example.com', name: 'New', password: null, roles: VIEWER }
      const { one, two, hadToWait } = await race(
        test.program,
        async ({ admins }, meet) => {
          await admins.add(person)
          await meet()
        },
        ({ admins }) => admins.add({ ...person, email: 'NEW@example.com' }),
      )
      expect([outcome(one), hadToWait]).to.deep.equal(['done', true])
      expect(two).to.have.nested.property('reason.details.fields.email')
    })

    it('and give one person roles leave those of the later one alone', async () => {
      const { id } = await addPerson(test.program, { roles: VIEWER })
      await addPerson(test.program)
      const { one, two, hadToWait } = await race(
        test.program,
        async ({ admins }, meet) => {
          await admins.setRoles(id, [{ appId: null, role: 'operator' }])
          await meet()
        },
        ({ admins }) => admins.setRoles(id, VIEWER),
      )
      expect([outcome(one), outcome(two), hadToWait]).to.deep.equal(['done', 'done', true])
      expect(await test.program.admins.roles(id)).to.deep.equal(VIEWER)
    })
  })
})
