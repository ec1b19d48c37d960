import {
  chmodSync,
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { COMMANDS } from '../../src/cli/commands.ts'
import { reaches } from '../support/depth.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { removeTree } from '../support/remove.ts'
import { run, temporaryDirectory } from './cli.ts'
import { commandLines, type Made } from './command-lines.ts'

const { dir, end } = temporaryDirectory()
const file = (name: string) => join(dir, name)

/** A data directory, or what stands in its place. */
interface World {
  /** Makes it from a good one. */
  make(data: string): void
  /** Exit codes of commands that need it; a command that does not need it may end as ever. */
  exits: number[]
  says: RegExp
  /** Says that the database may be opened, so that each command finds the damage by itself. */
  opens?: true
  /** `npm test` asks one of so many commands that need the app; default: 3. */
  one?: number
}

const garbage = (path: string, bytes: number) => writeFileSync(path, Buffer.alloc(bytes, 'garbage '))
const replaceBy =
  (make: (path: string) => void, ...names: string[]) =>
  (data: string) => {
    for (const name of names) {
      rmSync(join(data, name), { recursive: true, force: true })
      make(join(data, name))
    }
  }
const SQLITE = ['appsvc.sqlite']
const noLog = (data: string) => {
  for (const name of readdirSync(data)) if (/-(wal|shm)$/.test(name)) rmSync(join(data, name))
}

const WORLDS: Record<string, World> = {
  'a file in place of the data directory': {
    make(data) {
      rmSync(data, { recursive: true })
      writeFileSync(data, '')
    },
    exits: [66, 78],
    says: /data/,
  },
  'a database file of garbage': {
    make: replaceBy((path) => garbage(path, 8192), ...SQLITE),
    exits: [78, 69],
    says: /not an SQLite database|damaged/,
  },
  'an empty database file': {
    make: replaceBy((path) => writeFileSync(path, ''), ...SQLITE),
    exits: [65, 66, 69, 75, 78],
    says: /./,
    // Each makes the whole schema in it.
    one: 12,
  },
  'a directory in place of the database file': {
    make: replaceBy((path) => mkdirSync(path), ...SQLITE),
    exits: [69, 77, 78],
    says: /appsvc\.sqlite|database/,
  },
  'an empty master key': {
    make: replaceBy((path) => writeFileSync(path, ''), 'master.key'),
    exits: [78],
    says: /master/,
  },
  'a directory in place of the master key': {
    make: replaceBy((path) => mkdirSync(path), 'master.key'),
    exits: [78, 77, 69],
    says: /master\.key/,
  },
  // Last, because the others are counted.
  'a database file with damaged pages': {
    make(data) {
      noLog(data)
      const path = join(data, 'appsvc.sqlite')
      const fd = openSync(path, 'r+')
      for (let at = 4096; at < statSync(path).size; at += 4096) writeSync(fd, Buffer.alloc(4096, 0xa5), 0, 4096, at)
      closeSync(fd)
    },
    exits: [69, 78],
    says: /damaged|malformed/,
    opens: true,
  },
  'a database file that was cut': {
    make(data) {
      noLog(data)
      truncateSync(join(data, 'appsvc.sqlite'), 6000)
    },
    exits: [69, 78],
    says: /damaged|malformed|not an SQLite/,
    opens: true,
  },
}

/** Commands that do not look into the data directory. */
const ELSEWHERE = new Set(['init', 'restore', 'backups:verify', 'login', 'logout', 'whoami'])

describe('every command in a broken world', function () {
  this.timeout(PROGRAMS_MS)
  const good = file('good')
  const made: Made = {}
  before(async () => {
    writeFileSync(file('subscribers.csv'), 'nobody\n')
    const ran = await run(['apps', 'create', 'Shop', '--data-dir', good])
    expect(ran.code, ran.stderr).to.equal(0)
  })
  after(end)

  for (const [world, [name, { make, exits, says, opens = false, one = 3 }]] of Object.entries(WORLDS).entries()) {
    it(`ends with a sentence and an exit code beside ${name}`, async () => {
      const seen: string[] = []
      for (const [i, { id, argv, stdin = '', daemon }] of commandLines({ file }).entries()) {
        if (daemon || ELSEWHERE.has(id)) continue
        // What needs the app meets the same refusal when it opens the database: in `npm test` some of it in each world.
        // oclif's types say that all have both; some have none.
        const { args, flags } = COMMANDS[id]!
        if (!reaches('whole') && !opens && 'app' in { ...args, ...flags } && i % one !== world % one) continue
        const data = file('data')
        rmSync(data, { recursive: true, force: true })
        cpSync(good, data, { recursive: true })
        make(data)
        rmSync(file('copy.sqlite'), { force: true })
        let words: string[]
        try {
          words = typeof argv === 'function' ? argv(made) : argv
        } catch {
          continue
        }
        const ran = await run([...id.split(':'), ...words], { stdin, environment: { APPSVC_DATA_DIR: data } })
        const text = ran.stderr
        if (ran.code === 0) continue
        const isSentence = !/internal error|\n {4}at |undefined|\[object/.test(text) && exits.includes(ran.code)
        if (!isSentence || !says.test(text + ran.stdout)) seen.push(`${id} ${ran.code} ${text.slice(0, 300)}`)
      }
      expect(seen).to.deep.equal([])
    })
  }
})

/** Permissions that a user lacks. Root may do everything, so that the tests act as nobody for a moment. */
describe('a command without permission', function () {
  this.timeout(PROGRAMS_MS)
  const { dir: place, end: clean } = temporaryDirectory()
  const at = (name: string) => join(place, name)
  const NOBODY = 65534
  before(async () => {
    expect((await run(['apps', 'create', 'Shop', '--data-dir', at('good')])).code).to.equal(0)
    // Modules that commands load when they are used have to be there already.
    for (const words of COMMANDS) await run(words, { environment: { APPSVC_DATA_DIR: at('good') } })
    chmodSync(place, 0o755)
  })
  after(clean)

  const COMMANDS = [
    ['status'],
    ['apps', 'list'],
    ['apps', 'create', 'Other'],
    ['backup', at('copies/')],
    ['doctor', '--offline'],
    ['migrate', 'status'],
    ['migrate', 'up'],
    ['users', 'list', 'Shop'],
    ['channels', 'create', 'Shop', 'news'],
    ['db', 'copy', '--to', at('copied')],
    ['config', 'show'],
  ]

  /** Runs it as somebody who owns nothing. */
  async function asNobody(words: string[], data: string) {
    if (process.getuid!() !== 0) return run(words, { environment: { APPSVC_DATA_DIR: data } })
    process.seteuid!(NOBODY)
    try {
      return await run(words, { environment: { APPSVC_DATA_DIR: data } })
    } finally {
      process.seteuid!(0)
    }
  }

  const CASES: Record<string, (data: string) => void> = {
    'in a data directory that it may not enter': (data) => chmodSync(data, 0),
    'in a data directory that it may only read': (data) => {
      chmodSync(data, 0o555)
      for (const name of readdirSync(data)) chmodSync(join(data, name), 0o444)
    },
    'with a database that it may not read': (data) => {
      chmodSync(data, 0o777)
      for (const name of readdirSync(data)) chmodSync(join(data, name), name.startsWith('appsvc.sqlite') ? 0 : 0o666)
    },
    'with a master key that it may not read': (data) => {
      chmodSync(data, 0o777)
      for (const name of readdirSync(data)) chmodSync(join(data, name), name === 'master.key' ? 0 : 0o666)
    },
    'with a mark that it may not read': (data) => {
      chmodSync(data, 0o777)
      for (const name of readdirSync(data)) chmodSync(join(data, name), name === 'appsvc.mark' ? 0 : 0o666)
    },
  }
  for (const [name, make] of Object.entries(CASES)) {
    it(`${name} ends with a sentence and an exit code`, async () => {
      const wrong: string[] = []
      for (const words of COMMANDS) {
        const data = at('data')
        removeTree(data)
        cpSync(at('good'), data, { recursive: true })
        make(data)
        const { code, stderr } = await asNobody(words, data)
        if (/internal error|\n {4}at |undefined/.test(stderr) || ![0, 65, 66, 69, 75, 77, 78].includes(code)) {
          wrong.push(`${words.join(' ')}: ${code} ${stderr.slice(0, 300)}`)
        }
      }
      expect(wrong).to.deep.equal([])
    })
  }

  const PLACES: Record<string, { to: (data: string) => string; code: number; says: RegExp }> = {
    'a file in place of a directory': {
      to: () => (writeFileSync(at('file'), ''), at('file/')),
      code: 66,
      says: /file is not a directory/,
    },
    'a place below a file': {
      to: () => (writeFileSync(at('file'), ''), at('file/copy.sqlite')),
      code: 66,
      says: /file is not a directory/,
    },
    'a place below a place below a file': {
      to: () => (writeFileSync(at('file'), ''), at('file/more/copy.sqlite')),
      code: 66,
      says: /there is no directory .*file.more|not a directory/,
    },
    'a directory that cannot be written': {
      to: () => {
        mkdirSync(at('closed'), { mode: 0o555, recursive: true })
        return at('closed/')
      },
      code: 77,
      says: /closed.* permission denied|cannot be backed up/,
    },
    'a directory that cannot be entered': {
      to: () => {
        mkdirSync(at('secret'), { mode: 0, recursive: true })
        return at('secret/copies/')
      },
      code: 77,
      says: /secret.*permission denied/,
    },
    'a device': { to: () => '/dev/null', code: 65, says: /no regular file/ },
    'a name that is too long': { to: () => at(`${'x'.repeat(300)}/`), code: 69, says: /name too long/ },
  }
  for (const [name, { to, code, says }] of Object.entries(PLACES)) {
    it(`to back up to ${name} ends with a sentence and an exit code`, async () => {
      const data = at('data')
      removeTree(data)
      cpSync(at('good'), data, { recursive: true })
      chmodSync(data, 0o777)
      for (const one of readdirSync(data)) chmodSync(join(data, one), 0o666)
      const where = to(data)
      for (const settings of [false, true]) {
        const words = settings ? ['backup'] : ['backup', where]
        const environment: Record<string, string> = {
          APPSVC_DATA_DIR: data,
          ...(settings && { APPSVC_BACKUP_TO: where }),
        }
        // A device is no directory.
        if (settings && !where.endsWith('/')) continue
        if (process.getuid!() === 0) process.seteuid!(NOBODY)
        const ran = await run(words, { environment }).finally(() => process.getuid!() === 0 && process.seteuid!(0))
        expect(`${ran.code} ${ran.stderr}`)
          .to.match(says)
          .and.match(new RegExp(`^${code} appsvc: [^\n]*\n$`))
      }
    })
  }
})
