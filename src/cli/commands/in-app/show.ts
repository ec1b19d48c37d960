import type { InAppLanguageCount } from '../../../domain/in-app/record/language-counts.repository.ts'
import type { LeftOut } from '../../../domain/in-app/types.ts'
import { appFlag, textArg } from '../../input/args.ts'
import { typedId } from '../../input/typed-id.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { shortTime } from '../../output/present.ts'

export const InAppShow = appCommand({
  summary: 'Show an in-app message: its status, what users did with it, and its linked push',
  examples: ['appsvc in-app show 12', 'appsvc in-app show 12 --json'],
  args: { id: textArg({ required: true, description: 'in-app message id' }) },
  flags: { app: appFlag },
  read: ({ args }) => typedId(args.id, 'an in-app message'),
  async work({ program, appId, input: id, out }) {
    const [{ presentInAppReport }, { inAppStatusName, ttlInWords }, { scheduleInWords, sourceName, statusName }] =
      await Promise.all([
        import('../../../present/api/in-app.ts'),
        import('../../output/in-app-words.ts'),
        import('../../output/notification-words.ts'),
      ])
    const report = await program.inApp.report(appId, id)
    const { message, push, languages } = report
    out.value(presentInAppReport(report))
    out.fields({
      message: id,
      state: inAppStatusName(message.status),
      ...(message.statusReason !== null && { reason: message.statusReason }),
      from: sourceName(message.source),
      template: `${message.template} (version ${message.templateVersion})`,
      content: JSON.stringify(message.tagValues),
      ...(message.notification?.template && {
        'push template': `${message.notification.template.uid} (version ${message.notification.template.version})`,
      }),
      target: JSON.stringify(message.filters),
      presented: message.presentedWhen,
      ...(message.purpose !== null && { purpose: message.purpose }),
      ...(message.transactional && { priority: 'transactional' }),
      ...(message.labels && { labels: message.labels.join(', ') }),
      expires: ttlInWords(message.ttlMs),
      ...(message.inbox && { inbox: message.inbox.title }),
      created: shortTime(message.createdAt),
      ...(message.editedAt !== null && { edited: shortTime(message.editedAt) }),
      ...(message.schedule && { schedule: scheduleInWords(message.schedule) }),
      ...(message.nextAt !== null && { next: shortTime(message.nextAt) }),
      ...(message.withdrawnAt !== null && { withdrawn: shortTime(message.withdrawnAt) }),
    })
    out.line()
    const { recipients, skipped, delivered, shown, dismissed, read, inboxDeleted } = message
    const { notWanted, onSuppressionList, excluded, leftOut } = message
    out.fields({
      recipients,
      skipped,
      ...(notWanted > 0 && { 'not wanted': notWanted }),
      ...(onSuppressionList > 0 && { 'on suppression list': onSuppressionList }),
      ...(excluded > 0 && { 'all installs excluded': excluded }),
      ...(leftOut && leftOut.missingValue > 0 && { 'value missing': leftOut.missingValue }),
      ...(leftOut && leftOut.tooLarge > 0 && { 'too large': leftOut.tooLarge }),
      delivered,
      shown,
      closed: dismissed,
      read,
      'inbox deleted': inboxDeleted,
    })
    for (const fields of [languagesOf(languages), missingOf(leftOut)]) {
      if (Object.keys(fields).length === 0) continue
      out.line()
      out.fields(fields)
    }
    if (!push) return
    out.line()
    const { audience, accepted, failed } = push.counts
    out.fields({ push: `notification ${push.id}, ${statusName(push.status)}`, recipients: audience, accepted, failed })
  },
})

const languagesOf = (languages: readonly InAppLanguageCount[]) =>
  Object.fromEntries(languages.map((one) => [one.language, `${one.recipients} users, ${one.shown} shown`]))

const missingOf = (leftOut: LeftOut | null) =>
  Object.fromEntries(
    Object.entries(leftOut?.missing ?? {}).map(([expression, count]) => [`missing ${expression}`, count]),
  )
