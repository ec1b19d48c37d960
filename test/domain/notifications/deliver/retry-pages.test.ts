import { expect } from 'chai'
import type { Recipient } from '../../../../src/domain/crm/types.ts'
import { insertRetryPages } from '../../../../src/domain/notifications/deliver/retry-pages.ts'
import type { Ledger, Page } from '../../../../src/domain/notifications/record/ledger.repository.ts'
import { SLOT } from '../../../../src/domain/notifications/record/page.ts'
import type { Verdict } from '../../../../src/domain/notifications/record/verdict.ts'

const PAGE = { appId: 1, notificationId: 2, laneId: 3, expiresAt: null } as unknown as Page

/** Rows with what they wait -> the pages that are made of them: rows, and when they are due. */
async function pagesOf(waits: [row: number, afterMs: number, local?: true][], attempt = 1) {
  const made: { rows: number[]; notBefore: number; attempt: number }[] = []
  const ledger = {
    insertPage: async (page: { rows: number[]; notBefore: number; attempt: number }) => {
      made.push({ rows: page.rows, notBefore: page.notBefore, attempt: page.attempt })
    },
  } as unknown as Ledger
  const judged = waits.map(([row, afterMs, local]) => ({
    recipient: { row } as Recipient,
    verdict: { slot: SLOT.moved, retry: { afterMs, attempt, resends: 0, ...(local && { local }) } } satisfies Verdict,
  }))
  await insertRetryPages(ledger, PAGE, judged, 1000)
  return made
}

describe('retry pages', () => {
  it('are one page for all recipients of a gateway in trouble, due when the last of them may be sent to', async () => {
    expect(
      await pagesOf([
        [9, 500],
        [4, 90_000],
      ]),
    ).to.deep.equal([{ rows: [4, 9], notBefore: 91_000, attempt: 1 }])
  })

  it('are several where hosts ask for very different times', async () => {
    const made = await pagesOf([
      [1, 119_000, true],
      [2, 800, true],
      [3, 120_000, true],
      [4, 300, true],
    ])
    expect(made).to.deep.equal([
      { rows: [1, 3], notBefore: 121_000, attempt: 1 },
      { rows: [2, 4], notBefore: 1800, attempt: 1 },
    ])
  })
})
