import { approveForm, listApprovals, secondPersonForm } from '../../domain/approvals/schema.ts'
import { messagesForm } from '../../domain/notifications/schema.ts'
import { approval, approvalPage, presentApproval, secondPerson } from '../../present/admin/approvals.ts'
import { presentAccepted, rejectedNotification } from '../../present/api/notifications.ts'
import { CONTENT } from '../openapi/words/admin-compose.ts'
import { del, get, post, put, Reply, type Route } from '../routing/route.ts'
import { undoQuery } from './compose.ts'
import { maskPersonal } from './mask.ts'
import { numberOf } from './params.ts'

const CAMPAIGN = { area: 'admin', needs: 'person', right: 'campaign' } as const
const DECIDED = { 404: 'There is no such push', 409: 'It was decided already' }

/** Pushes that wait until a second person approves them. */
export const approvalRoutes: readonly Route[] = [
  get('/v1/apps/:appId/second-person', {
    ...CAMPAIGN,
    right: 'see',
    summary: 'Read whether a second person must approve what people send',
    description: 'Servers send without a second person in any case.',
    returns: secondPerson,
    run: async ({ tx, appId }) => ({ required: await tx.apps.needsSecondPerson(appId) }),
  }),
  put('/v1/apps/:appId/second-person', {
    ...CAMPAIGN,
    right: 'own',
    summary: 'Set whether a second person must approve what people send',
    description: 'Holds for what people send from now on. Servers send without a second person in any case.',
    takes: 'SecondPersonRequest',
    sends: { required: true },
    audit: 'second-person.update',
    body: secondPersonForm,
    returns: secondPerson,
    async run({ tx, appId, body, note }) {
      await tx.apps.lock(appId)
      note({ before: { required: await tx.apps.needsSecondPerson(appId) }, after: body })
      await tx.apps.setSecondPerson(appId, body.required)
      return { required: body.required }
    },
  }),
  get('/v1/apps/:appId/approvals', {
    ...CAMPAIGN,
    right: 'see',
    summary: 'List the pushes that wait for a second person, and those that were decided',
    description: 'Newest first. They are kept for 30 days; what a decided one said is in its notification.',
    query: listApprovals,
    returns: approvalPage,
    async run({ tx, appId, query }) {
      const { approvals, next } = await tx.approvals.list(appId, query)
      return { items: approvals.map(presentApproval), next: next === null ? null : String(next) }
    },
  }),
  post('/v1/apps/:appId/approvals', {
    ...CAMPAIGN,
    summary: 'Ask a second person to approve a push',
    description:
      'Checks the push as a send does and stores it until somebody else decides. At most 100 of an app are stored.',
    takes: 'NotificationRequest',
    sends: { target: { broadcast: true }, content: CONTENT },
    audit: 'approvals.create',
    body: messagesForm,
    bodyLimit: 'limits.notificationBody',
    status: 201,
    also: { 409: 'As many as may wait do so already' },
    returns: approval,
    async run({ tx, appId, body, person, note }) {
      const asked = await tx.approvals.ask(appId, body as Record<string, unknown>, person)
      note({ target: String(asked.id), after: maskPersonal(presentApproval(asked), approval) })
      return presentApproval(asked)
    },
  }),
  get('/v1/apps/:appId/approvals/:id', {
    ...CAMPAIGN,
    right: 'see',
    summary: 'Read a push that waits for a second person, or what became of it',
    description: 'What it says is shown while it waits.',
    also: { 404: DECIDED[404] },
    returns: approval,
    run: async ({ tx, appId, params }) => presentApproval(await tx.approvals.get(appId, numberOf(params.id))),
  }),
  post('/v1/apps/:appId/approvals/:id/approve', {
    ...CAMPAIGN,
    summary: 'Approve a push of somebody else and send it',
    description:
      'Sends it, when somebody else wrote it. `confirm` is the number of recipients that this person saw; without it that of the ' +
      'person who asked holds.',
    takes: 'ApproveRequest',
    sends: { confirm: 1240 },
    audit: 'approvals.approve',
    query: undoQuery,
    body: approveForm,
    // It counts the recipients first.
    transaction: false,
    also: {
      ...DECIDED,
      400: { says: 'Nobody can be reached any more; it still waits', body: rejectedNotification },
      403: 'You lack the right, or you wrote it yourself',
    },
    wakes: true,
    returns: approval,
    async run({ program, appId, params, query: { undoSeconds = 0 }, body: { confirm }, person, note }) {
      const id = numberOf(params.id)
      note({ target: String(id) })
      const measured = await program.approvals.measure(appId, id, confirm)
      const how = { holdMs: undoSeconds * 1000, confirm, measured }
      const { approval, accepted } = await program.inTransaction((tx) => tx.approvals.approve(appId, id, person, how))
      if (accepted.notification === null) return new Reply(400, presentAccepted(accepted))
      note({ target: String(id), after: { notificationId: approval.notificationId } })
      return presentApproval(approval)
    },
  }),
  del('/v1/apps/:appId/approvals/:id', {
    ...CAMPAIGN,
    summary: 'Decline or withdraw a push that waits for a second person',
    description: 'Nothing is sent. Whoever wrote it may withdraw it, too.',
    audit: 'approvals.delete',
    also: DECIDED,
    returns: approval,
    async run({ tx, appId, params, person, note }) {
      const declined = await tx.approvals.decline(appId, numberOf(params.id), person)
      note({ target: String(declined.id) })
      return presentApproval(declined)
    },
  }),
]
