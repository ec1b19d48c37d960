import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { gateways } from '../../../src/domain/gateways/registry.ts'
import { type Body, type Form, parse } from '../../support/notification-forms.ts'

/**
 * Requests that version 0.1 sent for requests in the contract's own fields: headers and payload for each gateway, as text.
 * Recorded from the program before pushes could say more; never to be recorded again.
 */
interface Recorded {
  name: string
  form: Form
  request: Body
  sent: Record<string, string>
}

const RECORDED = JSON.parse(readFileSync(join(import.meta.dirname, 'old-payloads.json'), 'utf8')) as Recorded[]
/** The platforms that there were. */
const OF_THEN = new Set(RECORDED.flatMap(({ sent }) => Object.keys(sent)))
/** Later than any gateway keeps a message, so that no header depends on the time of the test. */
const EXPIRES = Date.UTC(2100, 0, 1)

describe('a request in the fields that the forms always had', () => {
  for (const { name, form, request, sent } of RECORDED) {
    it(`becomes the same bytes as ever: ${name}`, () => {
      const { content } = parse[form](request)
      const message = { content: { ...content, notificationId: 42 }, expiresAt: EXPIRES, replacementKey: 'n42' }
      for (const { platform, preview } of Object.values(gateways)) {
        // It is younger than the recording.
        if (!OF_THEN.has(platform)) continue
        const { headers, payload } = preview(message)
        expect(`${JSON.stringify(headers)} ${JSON.stringify(payload)}`, platform).to.equal(sent[platform])
      }
    })
  }

  it('is recorded for every form and every gateway of then', () => {
    expect(new Set(RECORDED.map(({ form }) => form))).to.deep.equal(new Set(Object.keys(parse)))
    for (const { name, sent } of RECORDED) expect(sent, name).to.have.all.keys([...OF_THEN])
  })
})
