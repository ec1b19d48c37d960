import { differing } from './changed.ts'

/** Tests that are dear, of a part that few changes can break. */
export interface Apart {
  /** Words for the line that says what was left out. */
  what: string
  /** Test files, by path from the root. */
  tests: RegExp
  /** Files that the part is made of, or stands on. A change of any of them runs the tests. */
  places: RegExp
}

/** Files that a test of the program in a process of its own can notice: all but pages for browsers and people. */
const PROGRAM = /^(bin\/|migrations\/|src\/(?!console\/|present\/brand\/|sandbox\/page\/))/
/** Files on which everything stands. */
const GROUND = /^(package(-lock)?\.json$|packaging\/|test\/support\/|tsconfig)/

const anyOf = (...patterns: RegExp[]) => new RegExp(patterns.map(({ source }) => source).join('|'))

/**
 * Parts whose tests `npm test` leaves to `--whole` when nothing that they stand on differs from main
 * (docs/decisions/0132-parts-that-stand-apart.md).
 */
export const APART: readonly Apart[] = [
  {
    what: 'the console in a browser',
    tests: /^test\/console\//,
    places: anyOf(
      GROUND,
      /^test\/console\//,
      /^src\/(console|present|server\/(admin|console|calls|http))\//,
      /^(src\/domain\/[^/]+\/|src\/platform\/)(schema|values)\b/,
    ),
  },
  {
    what: 'pages in a browser',
    tests: /^test\/server\/(docs-page-browser|public\/browser)\.test\.ts$/,
    places: anyOf(GROUND, /^test\/server\//, /^src\/(present|server)\//, /^docs\/openapi/),
  },
  {
    what: 'the clients',
    tests: /^test\/clients\//,
    places: anyOf(
      GROUND,
      /^(clients|test\/clients)\//,
      /^src\/server\/(?!admin\/|console\/|docs-page\/|metrics\/)/,
      /^docs\/(openapi|clients\/)/,
    ),
  },
  {
    what: 'programs that are killed, and several servers',
    tests:
      /^test\/(workers\/(at-rest|backup|clock-jump|crash|faults|delivery|gateway-faults|held|import-kills|in-app-kills|kill-windows|pooler|readers|replica|series-clock|series-kills|series-servers|takeover)|cli\/(backup-s3|bin|broken-worlds|demo|demo-history|full-disk|http-threads|killed-moves|lost-database|nodes|nodes-share|rights|running-server|serve-beside|serve-demo|zone-rules)|domain\/(backups\/kills|certificates\/keep))\.test\.ts$/,
    places: anyOf(GROUND, PROGRAM, /^test\/(workers|cli|domain\/(backups|certificates))\//),
  },
  {
    what: 'loops that send to gateways over connections',
    tests: /^test\/workers\/(cancel|restraint|unifiedpush|web-push|zone-rules|jobs\/deliver)\.test\.ts$/,
    places: anyOf(GROUND, PROGRAM, /^test\/workers\//),
  },
  {
    what: 'the tours of the handbook and of README.md',
    tests: /^test\/(handbook|readme)\.test\.ts$/,
    places: anyOf(
      GROUND,
      PROGRAM,
      /^(README\.md$|docs\/(?!decisions\/))/,
      /^test\/((handbook|readme)\.test\.ts$|cli\/)/,
    ),
  },
  {
    what: 'the bundle',
    tests: /^test\/packaging\.test\.ts$/,
    places: anyOf(GROUND, PROGRAM, /^test\/packaging\.test\.ts$/),
  },
  {
    what: 'every command on the server of another machine',
    tests: /^test\/cli\/remote\.test\.ts$/,
    places: anyOf(GROUND, PROGRAM, /^test\/cli\//),
  },
  {
    what: 'the schema and its copies',
    tests: /^test\/(migrations|domain\/db-copy\/copy)\.test\.ts$/,
    places: anyOf(
      GROUND,
      /^migrations\//,
      /^src\/(platform\/(db|instance)|domain\/(db-copy|backups))\//,
      /^test\/(migrations|domain\/db-copy\/)/,
    ),
  },
  {
    what: 'the runner of tests',
    tests: /^test\/(run|mutants)\.test\.ts$/,
    places: anyOf(GROUND, /^test\/(run|mutants)\.test\.ts$/),
  },
]

/** The files of a run of everything, and the parts that it leaves out. */
export interface Chosen {
  files: string[]
  left: { what: string; files: number }[]
}

/** Leaves out the tests of parts on which nothing in `changed` bears. Paths from the root. */
export function leaveApart(files: readonly string[], changed: readonly string[]): Chosen {
  const untouched = APART.filter(({ places }) => !changed.some((file) => places.test(file)))
  const left = untouched.map(({ what, tests }) => ({ what, files: files.filter((file) => tests.test(file)).length }))
  return {
    files: files.filter((file) => !untouched.some(({ tests }) => tests.test(file))),
    left: left.filter((one) => one.files > 0),
  }
}

/** The choice of `npm test` in a checkout: everything where nobody can tell what differs. */
export function chooseDaily(root: string, files: readonly string[]): Chosen {
  try {
    return leaveApart(files, differing(root))
  } catch {
    return { files: [...files], left: [] }
  }
}
