import type { Body } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import { changedPart, isObject, type Values, type ValuesOf, valuesOf } from '../../forms/table.ts'
import { appZone, zoneChoices } from '../../parts/zones.ts'
import { cronOf, DAYS, EACH_PHONE, LAST_DAY, nameOfMonthDay, type Rule, ruleOf, simpleOf } from './rule.ts'

type Push = Body<'/admin/v1/apps/{appId}/notifications', 'post'>
/** `schedule` of a push that repeats. */
export type Recurring = Extract<NonNullable<Push['schedule']>, { strategy: 'recurring' }>

const rows = row.table<Push>()
const every =
  (...which: string[]) =>
  (values: Values) =>
    which.includes(values['repeat.every'] as string)
/** The rule of what is read into the form; undefined for something new. */
const storedRule = ({ schedule }: Values): Rule | undefined => ruleOf(schedule)
const storedSimple = (body: Values) => {
  const rule = storedRule(body)
  return rule && simpleOf(rule.cron)
}

const MONTH_DAYS = [...Array.from({ length: 31 }, (_, i) => String(i + 1)), LAST_DAY]
const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Rows of the rule by which a send repeats. They have one place in the body, `schedule`, which `recurringOf` makes. */
export const REPEAT = rows(
  row.radio('repeat.every', 'It is sent again', {
    path: '',
    also: ['schedule', 'schedule.cron'],
    first: 'week',
    options: row.choices({
      day: 'Every day',
      week: 'On days of the week',
      month: 'Once a month',
      cron: 'By a cron expression',
    }),
    from: (_, body) => (storedRule(body) === undefined ? undefined : (storedSimple(body)?.every ?? 'cron')),
  }),
  row.ticks('repeat.days', 'Days', {
    path: '',
    first: ['MON'],
    options: row.choices(DAYS),
    need: 'Choose a day of the week.',
    when: every('week'),
    from: (_, body) => {
      const simple = storedSimple(body)
      return simple?.every === 'week' ? simple.days : undefined
    },
  }),
  row.select('repeat.monthDay', 'Day of the month', {
    path: '',
    first: '1',
    options: MONTH_DAYS.map((value) => ({ value, label: upper(nameOfMonthDay(value)) })),
    hint: ({ 'repeat.monthDay': day }) =>
      Number(day) > 28 ? 'Months without that day are left out. The last day comes in each.' : undefined,
    when: every('month'),
    from: (_, body) => {
      const simple = storedSimple(body)
      return simple?.every === 'month' ? simple.monthDay : undefined
    },
  }),
  row.text('repeat.cron', 'Cron expression', {
    path: '',
    also: ['schedule.cron'],
    isMono: true,
    placeholder: '0 10 * * SAT#1',
    hint: 'Minute, hour, day of the month, month, day of the week. At least 15 minutes between two times.',
    need: 'Write a rule, such as 0 9 * * MON for every Monday at 9:00.',
    when: every('cron'),
    from: (_, body) => storedRule(body)?.cron,
  }),
  row.halves(
    /** `09:00` */
    row.own('repeat.time', '09:00', {
      path: '',
      need: 'Choose a time.',
      when: every('day', 'week', 'month'),
      from: (_, body) => storedSimple(body)?.time,
    }),
    row.select('repeat.zone', 'On the clock of', {
      path: '',
      also: ['schedule.timezone'],
      first: appZone,
      from: (_, body) => storedRule(body)?.timezone,
    }),
  ),
  row.more('Begin and end', [
    row.halves(
      /** `2031-05-01T07:30`, on that clock. */
      row.own('repeat.startsAt', '', {
        path: '',
        also: ['schedule.startsAt'],
        from: (_, body) => storedRule(body)?.startsAt?.replace(' ', 'T'),
      }),
      row.own('repeat.endsAt', '', {
        path: '',
        also: ['schedule.endsAt'],
        from: (_, body) => storedRule(body)?.endsAt?.replace(' ', 'T'),
      }),
    ),
  ]),
)
export type RepeatDraft = ValuesOf<typeof REPEAT>

/** The row of the rule that was read, for what no field shows of it. */
export const STORED_RULE = rows(
  row.own('repeat.stored', undefined as Values | undefined, {
    path: '',
    from: (_, { schedule }) => (ruleOf(schedule) && isObject(schedule) ? schedule : undefined),
  }),
)

/** Options of the clock: that of each phone, that of the app, and every other one. */
export const zoneOptions = (chosen: string) => [
  { value: EACH_PHONE, label: 'Each phone, wherever it is' },
  ...zoneChoices(...(chosen === EACH_PHONE ? [] : [chosen])),
]

/** `schedule` of the rule that is written; undefined while it is not complete. */
export function recurringOf(draft: RepeatDraft & Partial<ValuesOf<typeof STORED_RULE>>): Recurring | undefined {
  const { 'repeat.stored': schedule } = draft
  const is = ruleIn(draft)
  if (schedule === undefined || is === undefined) return is
  return changedPart(schedule, ruleIn(valuesOf(REPEAT, { schedule })), is) as Recurring
}

function ruleIn(draft: RepeatDraft): Recurring | undefined {
  const cron = cronIn(draft)
  if (cron === undefined) return undefined
  const { 'repeat.zone': timezone, 'repeat.startsAt': startsAt, 'repeat.endsAt': endsAt } = draft
  return {
    strategy: 'recurring',
    cron,
    timezone,
    ...(startsAt !== '' && { startsAt: startsAt.replace('T', ' ') }),
    ...(endsAt !== '' && { endsAt: endsAt.replace('T', ' ') }),
  }
}

function cronIn(draft: RepeatDraft): string | undefined {
  const { 'repeat.days': days, 'repeat.monthDay': monthDay, 'repeat.time': time, 'repeat.cron': cron } = draft
  const kind = draft['repeat.every']
  if (kind === 'cron') return cron.trim() || undefined
  if (time === '' || (kind === 'week' && days.length === 0)) return undefined
  if (kind === 'day') return cronOf({ every: 'day', time })
  return kind === 'week' ? cronOf({ every: 'week', days, time }) : cronOf({ every: 'month', monthDay, time })
}
