import type { Finding } from '../gateway.ts'
import { warningsOf } from '../probe/findings.ts'
import { isSubject } from './credentials.ts'
import { DEFAULT_SUBJECT, type WebFacts, type WebSecret } from './key-ring.ts'
import { importVapidKey } from './vapid-keys.ts'

/**
 * Checks that need no subscription. We contact no push service: they accept nothing but pushes, and only browsers know
 * which service they use.
 */
export function inspectWeb({ keys, subject }: WebSecret, facts: WebFacts): Finding[] {
  const broken = keys.filter((key) => 'wrong' in importVapidKey(key, key.createdAt))
  const current = keys[0]
  if (!current || broken.length > 0) {
    const which = broken.map(({ id }) => id).join(', ') || 'none'
    return [
      {
        level: 'error',
        what: `the stored VAPID keys cannot be used (${which})`,
        remedy:
          'import the pair again from where it was made; browsers that subscribed with a lost key have to subscribe again',
      },
    ]
  }
  const others = keys.length - 1
  const more = others === 0 ? '' : `; ${others} more for browsers that subscribed before`
  return [
    { level: 'ok', what: `pages subscribe with the key ${current.id}${more}` },
    judgeSubject(subject),
    ...warningsOf(facts),
  ]
}

function judgeSubject(subject: string): Finding {
  if (!isSubject(subject)) {
    return {
      level: 'error',
      what: `push services refuse the subject ${subject}`,
      remedy: 'set subject to mailto: and an address, or to an https: URL',
    }
  }
  if (subject !== DEFAULT_SUBJECT) return { level: 'ok', what: `the contact for push services is ${subject}` }
  return {
    level: 'warning',
    what: `the contact for push services is ${subject}, which reaches nobody`,
    remedy: 'set subject to your own address, so that they can contact you before they block you',
    ofVendor: true,
  }
}
