import { expect } from 'chai'
import type { Recipient } from '../../../../src/domain/crm/types.ts'
import { retryPagesOf } from '../../../../src/domain/notifications/deliver/retry-pages.ts'
import { SLOT } from '../../../../src/domain/notifications/record/page.ts'
import type { Page } from '../../../../src/domain/notifications/record/page-rows.ts'
import type { Verdict } from '../../../../src/domain/notifications/record/verdict.ts'

const PAGE = { appId: 1, notificationId: 2, laneId: 3, expiresAt: null } as unknown as Page

/** Rows with what they wait -> the pages that are made of them: rows, and when they are due. */
function pagesOf(waits: [row: number, afterMs: number, local?: true][], attempt = 1) {
  const judged = waits.map(([row, afterMs, local]) => ({
    recipient: { row } as Recipient,
    verdict: { slot: SLOT.moved, retry: { afterMs, attempt, resends: 0, ...(local && { local }) } } satisfies Verdict,
  }))
  return retryPagesOf(PAGE, judged, 1000).map(({ rows, notBefore, attempt: tries }) => ({
    rows,
    notBefore,
    attempt: tries,
  }))
}

describe('retry pages', () => {
  it('are one page for all recipients of a gateway in trouble, due when the last of them may be sent to', () => {
    expect(
      pagesOf([
        [9, 500],
        [4, 90_000],
      ]),
    ).to.deep.equal([{ rows: [4, 9], notBefore: 91_000, attempt: 1 }])
  })

  it('are several where hosts ask for very different times', () => {
    const made = pagesOf([
      [1, 119_000, true],
      [2, 800, true],
      [3, 120_000, true],
      [4, 300, true],
      [5, 1000, true],
      [6, 1001, true],
      [7, 2000, true],
      [8, 2001, true],
      [9, 128_000, true],
    ])
    expect(made).to.deep.equal([
      { rows: [1, 3, 9], notBefore: 129_000, attempt: 1 },
      // Up to one second, two, four: each has its own.
      { rows: [2, 4, 5], notBefore: 2000, attempt: 1 },
      { rows: [6, 7], notBefore: 3000, attempt: 1 },
      { rows: [8], notBefore: 3001, attempt: 1 },
    ])
  })
})
