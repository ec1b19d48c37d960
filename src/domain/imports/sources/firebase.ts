import { readFlag } from '../read/consent.ts'
import { flagOf, idOf, instantIn, NOTHING, objectFrom, textOf } from '../read/values.ts'
import type { Converted, Row, Source, SourceOptions } from '../types.ts'
import { checkColumns, convertFields, fateOfColumn } from './fields.ts'

/**
 * Firebase: users of `firebase auth:export FILE` (JSON `{"users": […]}`, or CSV without a header), and tables of the
 * FCM tokens that an app keeps itself, because FCM has no list of them. Fields of the export:
 * https://github.com/firebase/firebase-tools/blob/master/src/accountExporter.ts. Advice to store tokens with their
 * times: https://firebase.google.com/docs/cloud-messaging/manage-tokens
 */

/** Columns of the CSV, by their place. Hashes and accounts at other providers have none here. */
const AUTH_COLUMNS = [
  'localId',
  'email',
  'emailVerified',
  'passwordHash',
  'salt',
  'displayName',
  'photoUrl',
  ...Array.from({ length: 16 }, (_, i) => `provider ${i + 1}`),
  'createdAt',
  'lastSignedInAt',
  'phoneNumber',
  'disabled',
  'customAttributes',
]

/** Columns of the oldest export: the phone number, `disabled` and the claims came one after another. */
const FEWEST_COLUMNS = AUTH_COLUMNS.length - 3

/**
 * The problem of cells that are no row of the export. A comma ends a row, so there may be an empty cell behind its columns. Line
 * breaks in names are written as they are: each half of such a row is refused, because it could mark another account as disabled.
 */
function authProblem(cells: readonly string[]): string | undefined {
  const most = AUTH_COLUMNS.length + 1
  if (cells.length < FEWEST_COLUMNS || cells.length > most || (cells[most - 1] ?? '') !== '') {
    return `has ${cells.length} cells: a row of auth:export has ${FEWEST_COLUMNS + 1} to ${most}, the last of them empty`
  }
  const at = (name: string) => cells[AUTH_COLUMNS.indexOf(name)] ?? ''
  if (at('localId') === '') return 'has no localId'
  if (!/^(true|false)$/.test(at('emailVerified'))) return 'has neither true nor false for emailVerified (cell 3)'
  for (const name of ['createdAt', 'lastSignedInAt']) {
    if (!/^-?\d*$/.test(at(name))) return `${name} (cell ${AUTH_COLUMNS.indexOf(name) + 1}) is not a number`
  }
  return /^(true|false|)$/.test(at('disabled')) ? undefined : 'has neither true nor false for disabled (cell 27)'
}

/** Names that apps give the columns of their tokens. */
const TOKEN_COLUMNS: Readonly<Record<string, string>> = {
  fcmtoken: 'token',
  fcm_token: 'token',
  fcmtokens: 'token',
  fcm_tokens: 'token',
  registrationtoken: 'token',
  registration_token: 'token',
  devicetoken: 'token',
  device_token: 'token',
  uid: 'user',
  userid: 'user',
  user_id: 'user',
  os: 'platform',
  devicetype: 'platform',
  device_type: 'platform',
  timestamp: 'last_active',
  updatedat: 'last_active',
  updated_at: 'last_active',
  lastseen: 'last_active',
  createdat: 'created_at',
  locale: 'language',
  appversion: 'app_version',
}

export const firebase: Source = {
  name: 'firebase',
  label: 'Firebase',
  columns: {
    localId: 'user',
    email: 'attribute of the user',
    emailVerified: 'attribute of the user',
    displayName: 'attribute of the user',
    photoUrl: 'attribute of the user',
    phoneNumber: 'attribute of the user',
    customAttributes: 'attributes of the user',
    createdAt: 'first activity of the user',
    lastSignedInAt: 'last activity',
    disabled: 'true: the user is left behind',
    passwordHash: 'left behind: a secret',
    salt: 'left behind: a secret',
    providerUserInfo: 'left behind: accounts at other providers',
  },
  others: (column, options) => fateOfColumn(column, options, TOKEN_COLUMNS),
  wrappers: ['users'],
  headless: { columns: AUTH_COLUMNS, problem: authProblem },
  checkHeader(names, options) {
    if (!names.includes('localId')) checkColumns(names, options, TOKEN_COLUMNS)
  },
  convert: (row, options) => (row.localId === undefined ? tokenRow(row, options) : accountOf(row, options)),
}

function tokenRow(row: Row, options: SourceOptions): Converted {
  return convertFields(row, options, { others: TOKEN_COLUMNS, defaultPlatform: 'android' })
}

function accountOf(row: Row, { map }: SourceOptions): Converted {
  const mapped = [...map.keys()].find((column) => AUTH_COLUMNS.includes(column))
  if (mapped !== undefined) return { problem: `is an account, and --map cannot change what becomes of its ${mapped}` }
  const isDisabled = readFlag('disabled', row.disabled)
  if (isDisabled === true) return { left: 'disabled accounts' }
  if (isDisabled !== null && typeof isDisabled !== 'boolean') return isDisabled
  const user = idOf(row.localId, 'localId')
  if (user === null) return { problem: 'has no localId' }
  const custom = objectFrom(row.customAttributes)
  if (!custom) return { problem: 'customAttributes is not a JSON object' }
  const own = Object.fromEntries(
    ['email', 'displayName', 'photoUrl', 'phoneNumber'].flatMap((name) => {
      const value = textOf(row[name])
      return value === null ? [] : [[name, value]]
    }),
  )
  const emailVerified = own.email === undefined ? null : flagOf(row.emailVerified)
  return {
    found: [
      {
        ...NOTHING,
        user,
        attributes: { ...own, ...(emailVerified !== null && { emailVerified }), ...custom },
        createdAt: instantIn(row, ['createdAt'], 'milliseconds'),
        lastActive: instantIn(row, ['lastSignedInAt', 'lastLoginAt', 'createdAt'], 'milliseconds'),
      },
    ],
  }
}
