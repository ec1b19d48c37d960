import { Flags } from '@oclif/core'
import { appFlag } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { showPage } from '../../kinds/list-command.ts'

export const LabelsList = appCommand({
  summary: 'Add up what became of sends by label: the labels that were used in a period',
  description:
    'Adds up pushes and in-app messages by the time at which they were created; without a period, those of the last 30 days. Of a label with ' +
    'more than 500 of a kind, the newest 500 are added up, and a + stands behind their number.',
  examples: [
    'appsvc labels list',
    'appsvc labels list --since 2026-01-01 --before 2026-04-01',
    'appsvc labels list --label autumn-2026 --json',
  ],
  flags: {
    app: appFlag,
    label: Flags.string({ helpValue: 'LABEL', description: 'only this label' }),
    since: Flags.string({
      helpValue: 'TIME',
      description: 'only sends created then or later: a date, or a time with its offset',
    }),
    before: Flags.string({ helpValue: 'TIME', description: 'only sends created before' }),
    after: Flags.string({ helpValue: 'NEXT', description: 'continue after the previous page, given its "next"' }),
    limit: Flags.integer({ default: 20, min: 1, max: 50, helpValue: 'N', description: 'maximum number of rows' }),
  },
  async read({ flags: { label, since, before, after, limit } }) {
    const [{ reportLabels }, { parseText, present }] = await Promise.all([
      import('../../../domain/labels/schema.ts'),
      import('../../../platform/values/parse.ts'),
    ])
    const query = present({ label, createdSince: since, createdBefore: before, after, limit: String(limit) })
    return parseText(reportLabels, query)
  },
  async work({ program, appId, input, out }) {
    const [{ periodOf }, { presentLabelReport }] = await Promise.all([
      import('../../../domain/labels/schema.ts'),
      import('../../../present/api/labels.ts'),
    ])
    const report = await program.labels.report(appId, periodOf(input, program.kernel.clock.now()), input)
    out.value(presentLabelReport(report))
    const rows = report.rows.map(({ label, pushes, messages, isWhole }) => {
      const sends = (count: number) => (isWhole ? count : `${count}+`)
      const { accepted, opened } = pushes
      return [label, sends(pushes.sends), accepted, opened, sends(messages.sends), messages.recipients, messages.shown]
    })
    showPage(out, ['LABEL', 'PUSHES', 'ACCEPTED', 'OPENED', 'MESSAGES', 'RECIPIENTS', 'SHOWN'], rows, {
      after: input.after,
      next: report.next,
      things: 'labels',
      none: 'No send of this time has a label. Give one with "labels": ["autumn-2026"] or appsvc notify --label.',
    })
  },
})
