import { flagOf, idOf, instantOf, NOTHING, objectFrom, pick, textOf } from '../read/values.ts'
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

/** What apps call the columns of their tokens. */
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
  headless: (first) => (isAuthTable(first) ? AUTH_COLUMNS : undefined),
  checkHeader(names, options) {
    if (!names.includes('localId')) checkColumns(names, options, TOKEN_COLUMNS)
  },
  convert: (row, options) => (row.localId === undefined ? tokenRow(row, options) : accountOf(row)),
}

/** The export has no header: its third cell says whether the email is verified, and no column is called so. */
function isAuthTable(first: readonly string[]): boolean {
  return first.length >= 26 && (first[2] === 'true' || first[2] === 'false')
}

function tokenRow(row: Row, options: SourceOptions): Converted {
  return convertFields(row, options, { others: TOKEN_COLUMNS, defaultPlatform: 'android' })
}

function accountOf(row: Row): Converted {
  if (flagOf(row.disabled) === true) return { left: 'disabled accounts' }
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
        createdAt: instantOf(row.createdAt),
        lastActive: instantOf(pick(row, 'lastSignedInAt', 'lastLoginAt', 'createdAt')),
      },
    ],
  }
}
