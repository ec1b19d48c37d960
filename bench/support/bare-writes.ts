/**
 * The least that storing can cost here: an empty Koa that reads a body, and SQLite with the statements that the server runs for it. It checks no
 * key and no field, answers nothing, counts nothing. Requests share transactions, and are answered when the log is on disk, as in the
 * server. Its argument is the SQLite file of a data directory.
 */
import { fdatasync, openSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Database from 'better-sqlite3'
import Koa from 'koa'
import getRawBody from 'raw-body'

const file = process.argv[2]!
const db = new Database(file)
db.pragma('journal_mode = WAL')
db.pragma('synchronous = NORMAL')
db.pragma('foreign_keys = ON')
db.pragma('secure_delete = ON')
db.pragma('cache_size = -8192')
const APP = (db.prepare('SELECT id FROM apps').get() as { id: number }).id

const BEGIN = db.prepare('BEGIN IMMEDIATE')
const COMMIT = db.prepare('COMMIT')
const PUT = db.prepare(
  'UPDATE users SET attributes = ?, attributes_at = ?, updated_at = ? WHERE app_id = ? AND identifier = ?',
)
const LOOK_AT = db.prepare(
  `SELECT id, install_id, last_active, (SELECT identifier FROM users WHERE users.id = installs.user_id) AS user,
     (SELECT last_hour FROM active_hours WHERE active_hours.user_id = installs.user_id) AS last_hour
   FROM installs WHERE app_id = ? AND install_id = ?`,
)
const TOUCH = db.prepare('UPDATE installs SET last_active = ? WHERE id = ? AND +app_id = ?')
const IS_KNOWN = db.prepare('SELECT 1 FROM events WHERE app_id = ? AND install_row = ? AND uuid = ?')
const STORE = db.prepare(
  `INSERT INTO events (app_id, install_row, uuid, type, user_identifier, data, happened_at, received_at)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
)
const TOUCH_USER = db.prepare(
  'UPDATE users SET last_active = ? WHERE app_id = ? AND identifier = ? AND last_active < ?',
)

/** Runs the statements of a request. */
type Work = () => void

function put(path: string, body: unknown): Work {
  const identifier = path.split('/')[4]!
  const now = Date.now()
  return () => PUT.run(JSON.stringify(body), now, now, APP, identifier)
}

function upload(path: string, body: unknown): Work {
  const installId = path.split('/')[4]!
  const now = Date.now()
  return () => {
    const { id, user } = LOOK_AT.get(APP, installId) as { id: number; user: string }
    TOUCH.run(now, id, APP)
    for (const { uuid, type, timestamp } of body as { uuid: string; type: string; timestamp: number }[]) {
      if (IS_KNOWN.get(APP, id, uuid)) continue
      STORE.run(APP, id, uuid, type, user, null, timestamp, now)
    }
    TOUCH_USER.run(now, APP, user, now)
  }
}

let waiting: { work: Work; done: () => void }[] = []
let isFlushing = false
let log: number | undefined

/** Commits everything that waits in one transaction. The next one begins when this one is on disk. */
function commit(): void {
  const aboard = waiting
  waiting = []
  isFlushing = true
  BEGIN.run()
  for (const { work } of aboard) work()
  COMMIT.run()
  fdatasync((log ??= openSync(`${file}-wal`, 'r')), (error) => {
    if (error) throw error
    isFlushing = false
    for (const { done } of aboard) done()
    if (waiting.length > 0) setImmediate(commit)
  })
}

const store = (work: Work) =>
  new Promise<void>((done) => {
    if (waiting.push({ work, done }) === 1 && !isFlushing) setImmediate(commit)
  })

const koa = new Koa()
koa.use(async (context) => {
  const body = JSON.parse((await getRawBody(context.req)).toString()) as unknown
  await store((context.method === 'PUT' ? put : upload)(context.path, body))
  context.body = 'ok'
})
const server = createServer(koa.callback())
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ listening: `http://127.0.0.1:${port}` })}\n`)
})
process.on('SIGTERM', () => {
  db.close()
  process.exit(0)
})
