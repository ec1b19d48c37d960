import { appFlag, chooseApp } from '../../input/app.ts'
import { typedId } from '../../input/typed-id.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

export class InAppShow extends BaseCommand {
  static override summary = 'Show an in-app message: status, what users did with it, and its linked push'
  static override examples = ['<%= config.bin %> in-app show 12', '<%= config.bin %> in-app show 12 --json']
  static override args = { id: textArg({ required: true, description: 'id of the in-app message' }) }
  static override flags = { app: appFlag }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(InAppShow)
    const [{ presentInAppReport }, { shortTime }, words, { scheduleInWords, sourceName, statusName }] =
      await Promise.all([
        import('../../../server/present/in-app.ts'),
        import('../../output/present.ts'),
        import('../../output/in-app-words.ts'),
        import('../../output/notification-words.ts'),
      ])
    const id = typedId(args.id, 'an in-app message')
    const app = await this.open(flags)
    const found = await chooseApp(app, flags.app)
    const report = await app.inApp.report(found.id, id)
    const { message, push } = report
    this.out.value(presentInAppReport(report))
    this.out.fields({
      message: id,
      status: words.inAppStatusName(message.status),
      ...(message.statusReason !== null && { reason: message.statusReason }),
      from: sourceName(message.source),
      template: `${message.template} (version ${message.templateVersion})`,
      content: JSON.stringify(message.tagValues),
      target: JSON.stringify(message.filters),
      presented: message.presentedWhen,
      expires: words.ttlInWords(message.ttlMs),
      ...(message.inbox && { inbox: message.inbox.title }),
      created: shortTime(message.createdAt),
      ...(message.schedule && { schedule: scheduleInWords(message.schedule) }),
      ...(message.nextAt !== null && { next: shortTime(message.nextAt) }),
      ...(message.withdrawnAt !== null && { withdrawn: shortTime(message.withdrawnAt) }),
    })
    this.out.line()
    const { recipients, skipped, delivered, shown, dismissed, read, inboxDeleted } = message
    this.out.fields({ users: recipients, skipped, delivered, shown, dismissed, read, 'inbox deleted': inboxDeleted })
    if (!push) return
    this.out.line()
    const { audience, accepted, failed } = push.counts
    this.out.fields({ push: `notification ${push.id}, ${statusName(push.status)}`, audience, accepted, failed })
  }
}
