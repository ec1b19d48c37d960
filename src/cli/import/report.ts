import { type Platform, platforms } from '../../domain/gateways/registry.ts'
import type { ConsentCounts } from '../../domain/imports/consent-tally.ts'
import type { Survey } from '../../domain/imports/survey.ts'
import type { ImportCounts, Source } from '../../domain/imports/types.ts'
import { type Output, printable } from '../output/output.ts'
import { countOf } from '../output/plural.ts'

/** Names of one kind that are printed. */
const MAX_SHOWN = 20

/** State of the app before an import, for the remarks on a survey. */
export interface Present {
  /** Platforms with a gateway. */
  gateways: readonly Platform[]
  /** Channels of the survey that the app has. */
  channels: ReadonlySet<string>
}

export interface ReportOptions {
  app: { id: number; name: string }
  label: string
  createChannels: boolean
  /** The web gateway gets its keys with the import. */
  hasVapidFile: boolean
  /** The column of the service that says who opted out. */
  consent: Source['consent']
  /** `--map` can name such a column. */
  hasMap: boolean
}

/** Prints what an import would do. */
export function printSurvey(out: Output, survey: Survey, present: Present, options: ReportOptions): void {
  out.line(
    `${countOf(survey.rows, 'row')} of ${options.label} for app ${options.app.id} (${printable(options.app.name)}):`,
  )
  out.line()
  out.table(
    ['platform', 'installs', 'with a token', 'notifications off', 'unreachable'],
    survey.installs.map(({ platform, total, unreachable, disabled }) => [
      platform,
      total,
      total - unreachable - disabled,
      disabled,
      unreachable,
    ]),
    'No installs.',
  )
  out.line()
  out.fields({
    'rows with a user': survey.withUser,
    'users without a device': survey.usersOnly || undefined,
    'opted out in the app': survey.optedOut || undefined,
    'tokens of the sandbox': survey.sandbox || undefined,
    attributes: listed(survey.attributes),
    channels: listed(survey.channels),
    'left behind': listed(survey.left),
    'left out because erased here': survey.erased || undefined,
    refused: survey.refused,
  })
  printColumns(out, survey)
  printSamples(out, survey)
  printRefused(out, survey)
  printErased(out, survey.erased, survey)
  printRemarks(out, survey, present, options)
}

function printColumns(out: Output, { columns }: Survey): void {
  if (columns.length === 0) return
  out.line()
  out.table(
    ['column', 'becomes'],
    columns.map(({ column, becomes }) => [column, becomes]),
    '',
  )
}

function printSamples(out: Output, { samples }: Survey): void {
  if (samples.length === 0) return
  out.line()
  out.table(
    ['sample', 'user', 'platform', 'token', 'attributes', 'channels'],
    samples.map((one) => [one.installId, one.user, one.platform, one.token, one.attributes, one.channels]),
    '',
  )
}

/** The first refused rows, each on a line of its own, and the reasons of the others. */
export function printRefused(out: Output, { refused, refusedRows, reasons }: Survey): void {
  if (refused === 0) return
  out.line()
  for (const { file, line, problem } of refusedRows) out.line(printable(`${nameOf(file)}line ${line}: ${problem}`))
  if (refused > refusedRows.length) {
    out.line(`${refused - refusedRows.length} more; by reason:`)
    for (const { name, count } of reasons.slice(0, MAX_SHOWN)) out.line(printable(`  ${count}  ${name}`))
  }
}

/** Prints which rows are left out because somebody was erased here. The survey knows the first lines. */
export function printErased(out: Output, count: number, { erasedRows }: Survey): void {
  if (count === 0) return
  const lines = erasedRows.map(({ file, line }) => `${nameOf(file)}line ${line}`)
  if (count > lines.length) lines.push(lines.length > 0 ? `${count - lines.length} more` : 'since the files were read')
  out.note(
    `${countOf(count, 'row')} left out, because the user or the device was erased here: ${lines.join('; ')}. --include-erased imports them.`,
  )
}

const nameOf = (file: number) => (file === 0 ? '' : `file ${file + 1}, `)

function printRemarks(out: Output, survey: Survey, present: Present, options: ReportOptions): void {
  const without = platforms.filter(
    (name) =>
      !present.gateways.includes(name) &&
      !(name === 'web' && options.hasVapidFile) &&
      survey.installs.some(({ platform }) => platform === name),
  )
  for (const name of without) {
    out.note(`The app has no ${name} gateway yet: appsvc gateways set --app ${options.app.id} ${name} …`)
  }
  if (without.includes('web')) {
    out.note('Browsers stay subscribed only with the VAPID keys of the former service: --vapid-file imports them.')
  }
  printUnsaid(out, survey, options)
  const unknown = survey.channels.filter(({ name }) => !present.channels.has(name))
  if (unknown.length === 0) return
  const names = printable(listed(unknown) ?? '')
  out.note(
    options.createChannels
      ? `${countOf(unknown.length, 'channel')} will be created: ${names}`
      : `${countOf(unknown.length, 'channel')} of the export ${unknown.length === 1 ? 'does' : 'do'} not exist, and such subscriptions are left out: ${names}. --create-channels creates them.`,
  )
}

/** Names the devices of which nobody knows whether the person opted out. */
function printUnsaid(out: Output, { unsaid, isSaid, consent }: Survey, options: ReportOptions): void {
  if (options.consent && unsaid > 0) {
    const { column, remedy } = options.consent
    const what = isSaid ? `${countOf(unsaid, 'device')} of the export` : 'The devices of the export'
    out.note(
      `${what} ${unsaid === 1 && isSaid ? 'has' : 'have'} no ${column}, so nobody knows who opted out. They are refused: ${remedy}. --assume-subscribed imports them as subscribed.`,
    )
  } else if (!options.consent && consent && consent.unknown > 0) {
    const how = options.hasMap ? ' --map COLUMN=opted_out or COLUMN=enabled names a column that says it.' : ''
    out.note(
      `The export does not say of ${countOf(consent.unknown, 'install')} whether the person opted out: ${consent.unknown === 1 ? 'it is' : 'they are'} taken as subscribed.${how}`,
    )
  }
}

/** Prints the last line of every import: the consent of its devices. */
export function printConsent(out: Output, counts: ConsentCounts): void {
  const { subscribed, optedOut, optedOutByThisImport, unknown, unreachable } = counts
  const more = unreachable > 0 ? `, unreachable ${unreachable}` : ''
  out.line(
    `subscribed ${subscribed}, opted out ${optedOut} (of these ${optedOutByThisImport} by this import), unknown ${unknown}${more}`,
  )
}

/** The first of the names, each with its number. */
function listed(names: readonly { name: string; count: number }[]): string | undefined {
  if (names.length === 0) return undefined
  const shown = names.slice(0, MAX_SHOWN).map(({ name, count }) => `${name} (${count})`)
  return names.length > MAX_SHOWN ? `${shown.join(', ')} and ${names.length - MAX_SHOWN} more` : shown.join(', ')
}

/** Prints what an import did. */
export function printCounts(out: Output, counts: ImportCounts): void {
  const { installs, users, subscriptions, existing, moved, unreachable, disabled } = counts
  const { suppressed, left, erased, refused } = counts
  out.line(
    `${countOf(installs, 'install')} and ${countOf(users, 'user')} imported, ${countOf(refused, 'row')} refused.`,
  )
  out.fields({
    'of them unreachable': unreachable || undefined,
    'of them with notifications off': disabled || undefined,
    'here already': existing || undefined,
    'token here already': moved || undefined,
    'subscriptions to channels': subscriptions || undefined,
    'put on the suppression list': suppressed || undefined,
    'rows left behind': left || undefined,
    'rows left out because erased here': erased || undefined,
  })
}
