/**
 * The subject of an event: `appsvc.7.k.message.opened`. The dots of a type separate tokens, so that subscribers can ask
 * for `appsvc.7.k.message.*`. Characters that a subject may not have (blanks, wildcards) and empty tokens become `_`.
 */
export function subjectOf(appId: number, type: string): string {
  const tokens = type.split('.').map((token) => token.replace(/[\s*>\p{Cc}]/gu, '_') || '_')
  return `${SUBJECTS}.${appId}.${tokens.join('.')}`
}

/** The first token of all subjects. */
export const SUBJECTS = 'appsvc'
