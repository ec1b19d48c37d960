import { type Platform, platforms } from '../../domain/gateways/registry.ts'
import type { Survey } from '../../domain/imports/survey.ts'
import type { ImportCounts } from '../../domain/imports/types.ts'
import { type Output, printable } from '../output/output.ts'
import { countOf } from '../output/plural.ts'

/** Names of one kind that are printed. */
const MAX_SHOWN = 20

/** What is there already, for the remarks on a survey. */
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
}

/** What an import would do. */
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

/** Which rows are left out because somebody was erased here. The survey knows the first lines. */
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
  const unknown = survey.channels.filter(({ name }) => !present.channels.has(name))
  if (unknown.length === 0) return
  const names = printable(listed(unknown) ?? '')
  out.note(
    options.createChannels
      ? `${countOf(unknown.length, 'channel')} will be created: ${names}`
      : `${countOf(unknown.length, 'channel')} of the export ${unknown.length === 1 ? 'does' : 'do'} not exist, and such subscriptions are left out: ${names}. --create-channels creates them.`,
  )
}

/** The first of the names, each with its number. */
function listed(names: readonly { name: string; count: number }[]): string | undefined {
  if (names.length === 0) return undefined
  const shown = names.slice(0, MAX_SHOWN).map(({ name, count }) => `${name} (${count})`)
  return names.length > MAX_SHOWN ? `${shown.join(', ')} and ${names.length - MAX_SHOWN} more` : shown.join(', ')
}

/** What an import did. */
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
