import type { Effect, Match, Place, Plan, Rule } from './plan.ts'

/** What a rule can match. */
interface FaultSubject {
  place: Place
  token?: string
  /** Tokens of a request for many: it matches if one of them does. */
  tokens?: readonly string[]
  notification?: string | undefined
}

export interface Faults {
  /**
   * The effect of the first rule that applies to this request, or undefined. It counts, so call it once per request.
   */
  pick(subject: FaultSubject): Effect | undefined
  /** The tokens that the rule with this effect matches, or all tokens if the rule does not match by token. */
  named(effect: Effect, tokens: readonly string[]): string[]
  /** How often each rule matched and applied, in the order of the plan. */
  report(): RuleReport[]
}

interface RuleReport {
  name: string
  fitted: number
  struck: number
}

/** The rules of a plan with their counters and random numbers. The same seed gives the same run. */
export function startFaults(plan: Plan): Faults {
  const seed = plan.seed ?? 1
  const rules = (plan.rules ?? []).map((rule, i) => startRule(rule, i, seed))
  return {
    pick(subject) {
      for (const rule of rules) if (rule.strikes(subject)) return rule.effect
      return undefined
    },
    named(effect, tokens) {
      const rule = rules.find((one) => one.effect === effect)
      return rule ? tokens.filter((token) => rule.names(token)) : []
    },
    report: () => rules.map(({ name, counted }) => ({ name, ...counted })),
  }
}

function startRule(rule: Rule, index: number, seed: number) {
  const match = rule.match ?? {}
  const names = compileToken(match, seed)
  const fits = compile(match, names)
  const random = xorshift(seed * 7919 + index)
  const counted = { fitted: 0, struck: 0 }
  return {
    name: rule.name ?? `rule ${index + 1}`,
    effect: rule.effect,
    counted,
    names,
    strikes(subject: FaultSubject): boolean {
      if (!fits(subject)) return false
      const n = ++counted.fitted - (match.after ?? 0)
      if (n < 1) return false
      if (match.first !== undefined && counted.struck >= match.first) return false
      if (match.every !== undefined && n % match.every !== 0) return false
      if (match.percent !== undefined && random() * 100 >= match.percent) return false
      counted.struck++
      return true
    },
  }
}

function compile(match: Match, names: (token: string | undefined) => boolean): (subject: FaultSubject) => boolean {
  const { on, notification } = match
  const wanted = notification === undefined ? undefined : String(notification)
  return (subject) => {
    if (!isAt(subject.place, on)) return false
    if (subject.tokens?.length ? !subject.tokens.some(names) : !names(subject.token)) return false
    return wanted === undefined || subject.notification === wanted
  }
}

function compileToken(match: Match, seed: number): (token: string | undefined) => boolean {
  const { token: wanted, tokenPrefix, tokensPercent } = match
  const pattern = match.tokenPattern === undefined ? undefined : new RegExp(match.tokenPattern)
  return (token) => {
    if (wanted !== undefined && token !== wanted) return false
    if (tokenPrefix !== undefined && !token?.startsWith(tokenPrefix)) return false
    if (pattern && (token === undefined || !pattern.test(token))) return false
    return tokensPercent === undefined || shareOf(token ?? '', seed) < tokensPercent
  }
}

function isAt(place: Place, on: Match['on'] | undefined): boolean {
  if (on === undefined) return !place.endsWith('-token')
  return on === place || (on === 'apns' && (place === 'apns-production' || place === 'apns-sandbox'))
}

/** A number from 0 to 100 for a token, the same in every run with this seed. */
function shareOf(token: string, seed: number): number {
  let h = (0x811c9dc5 ^ seed) >>> 0
  for (let i = 0; i < token.length; i++) h = Math.imul(h ^ token.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 2246822507)
  return (((h ^ (h >>> 13)) >>> 0) / 2 ** 32) * 100
}

/** Marsaglia's xorshift32: small, seeded, good enough to spread faults. */
function xorshift(seed: number): () => number {
  let x = Math.imul(seed + 1, 0x9e3779b1) >>> 0 || 1
  return () => {
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    x >>>= 0
    return x / 2 ** 32
  }
}
