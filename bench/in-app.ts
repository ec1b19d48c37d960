import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../src/config.ts'
import { fromInAppForm, inAppForm } from '../src/domain/in-app/request/request.ts'
import { SOURCE } from '../src/domain/in-app/types.ts'
import type { ContentDocument, Tag } from '../src/domain/templates/types.ts'
import { openProgram } from '../src/open.ts'
import { systemClock } from '../src/platform/time/clock.ts'
import { parseJson } from '../src/platform/values/parse.ts'
import type { Program } from '../src/program.ts'
import { handOut } from '../src/workers/jobs/in-app.ts'
import { createWake } from '../src/workers/jobs/job.ts'
import { fill } from './audience.ts'
import { type DataDirectory, makeDataDirectory } from './support/audience.ts'
import { openDatabase } from './support/database.ts'
import type { Result } from './support/result.ts'
import { timeWrites } from './support/write-times.ts'

export interface InAppOptions {
  users: number
  /** `sqlite` or `postgres`. */
  database: string
}

const HOUR_MS = 3_600_000
const LOOK_MS = 4
const MB = 1024 * 1024
/** An id that no message has. The bare statement writes its rows with it. */
const NO_MESSAGE = 0

const CONTENT: ContentDocument = { ver: 1, frame: { type: 'alert', nodes: [{ type: 'heading', text: 'Fresh bread' }] } }

const NAMED: ContentDocument = {
  ver: 1,
  frame: {
    type: 'alert',
    nodes: [
      { type: 'heading', text: '{{Title}}' },
      { type: 'text', text: '{{Text}}' },
    ],
  },
}
const NAMED_TAGS: Tag[] = ['Title', 'Text'].map((title) => ({ title, type: 'text', required: true }))
/** Every user gets other words. */
const PERSONAL = {
  template: 'named',
  personalize: {},
  content: {
    Title: 'Fresh bread for {{ user.identifier }}',
    Text: "{% if user.attributes.plan == 'gold' %}Free{% else %}2 €{% endif %} delivery",
  },
}
const LANGUAGES = {
  template: 'named',
  content: { Title: 'Hello', Text: 'Bread' },
  languages: { de: { Title: 'Hallo' } },
}

/**
 * Measures the fan-out of in-app messages in the loop that the program runs: users per second, how long other writers wait, and the
 * memory used. The baseline is one bare statement that writes the same rows. Throws when a message does not get exactly the expected
 * users.
 */
export async function benchInApp({ users, database }: InAppOptions): Promise<Result[]> {
  const db = await openDatabase(database)
  const data = await makeDataDirectory({
    installs: users,
    database: db.url,
    async fill(trx, appId) {
      await fill(trx, appId)
      await trx('users').update({ in_app_enabled: true })
    },
  })
  try {
    return await measure(data, users)
  } finally {
    data.remove()
    await db.drop()
  }
}

async function measure({ dir, environment, app: { id: appId } }: DataDirectory, users: number): Promise<Result[]> {
  let shift = 0
  const wake = createWake()
  const { config } = await loadConfig({ environment, flags: { dataDir: dir } })
  const clock = {
    ...systemClock,
    now: () => Date.now() + shift,
    sinceBoot: () => systemClock.sinceBoot() + shift,
  }
  const program = openProgram({ config, clock, pool: 2, wake: () => wake.ring() })
  const writes = timeWrites(program)
  await program.inTransaction(async (tx) => {
    await tx.gateways.configure(appId, { android: { secret: {}, facts: { warnings: [] }, sendable: true } })
    await tx.templates.create(appId, { uid: 'bread', content: CONTENT, tags: [], sample: {} })
    await tx.templates.create(appId, { uid: 'named', content: NAMED, tags: NAMED_TAGS, sample: {} })
  })
  const stop = new AbortController()
  const running = handOut({
    program,
    owner: 'bench/0',
    signal: stop.signal,
    wake,

    tick() {},
  })

  async function send(name: string, meant: number, bareRate: number, extra: object): Promise<Result> {
    const body = parseJson(inAppForm, { template: 'bread', presentedWhen: 'never', ...extra })
    const rssBefore = process.memoryUsage.rss() / MB
    let rssPeak = rssBefore
    const { message } = await program.inTransaction((tx) =>
      tx.inApp.accept(appId, SOURCE.messages, fromInAppForm(body)),
    )
    writes.longest = 0
    let ms = 0
    for (let next = message!.nextAt; next !== null; ) {
      shift = Math.max(shift, next - Date.now())
      const began = performance.now()
      wake.ring()
      do {
        await sleep(LOOK_MS)
        rssPeak = Math.max(rssPeak, process.memoryUsage.rss() / MB)
        next = (await program.inApp.get(appId, message!.id)).nextAt
      } while (next !== null && next <= clock.now())
      ms += performance.now() - began
    }
    const { recipients } = await program.inApp.get(appId, message!.id)
    if (recipients !== meant) throw new Error(`${name}: ${recipients} users got the message instead of ${meant}`)
    return {
      name,
      value: (users / ms) * 1000,
      unit: 'users/s',
      against: { name: 'bare insert', value: bareRate },
      note: [
        `${recipients} users in ${(ms / 1000).toFixed(2)} s`,
        `longest write ${writes.longest.toFixed(0)} ms`,
        `memory ${rssBefore.toFixed(0)} MB, peak +${(rssPeak - rssBefore).toFixed(0)}`,
      ].join('; '),
    }
  }

  try {
    const bare = await bareRate(program, appId, users)
    const day = new Date(Date.now() + 60 * HOUR_MS).toISOString().slice(0, 10)
    const local = { schedule: { sendAt: `${day} 09:00`, strategy: 'local', pastTimes: 'nextDay' } }
    const everyone = { target: { broadcast: true } }
    const inChannel = Array.from({ length: users }, (_, i) => i + 1).filter((user) => user % 20 < 2).length
    return [
      await send('broadcast', users, bare, everyone),
      await send('broadcast with push', users, bare, { ...everyone, notification: { title: 'Bread', message: 'Now' } }),
      await send('channel', inChannel, bare, { target: { channelUuids: ['news'] } }),
      await send('local', users, bare, { ...everyone, ...local }),
      await send('personalised', users, bare, { ...everyone, ...PERSONAL }),
      await send('in two languages', users, bare, { ...everyone, ...LANGUAGES }),
    ]
  } finally {
    stop.abort()
    await running
    await program.close()
  }
}

/** Users per second to whom one bare statement gives a message. */
async function bareRate(program: Program, appId: number, users: number): Promise<number> {
  const now = Date.now()
  const began = performance.now()
  await program.kernel.db.write(async (sql) => {
    await sql.raw(
      `INSERT INTO user_messages (user_id, message_id, app_id, sent_at, updated_at)
       SELECT id, CAST(? AS bigint), app_id, CAST(? AS bigint), CAST(? AS bigint) FROM users
       WHERE app_id = ? AND in_app_enabled AND listed ORDER BY id`,
      [NO_MESSAGE, now, now, appId],
    )
  })
  return (users / (performance.now() - began)) * 1000
}
