import type { PushPreview } from '../../domain/gateways/gateway.ts'
import { findGateway, type Platform, platforms } from '../../domain/gateways/registry.ts'
import {
  inLanguage,
  type PersonalPreview,
  personalPartsOf,
  type RenderedPush,
} from '../../domain/notifications/accept/personal-preview.ts'
import { judgePersonalContent } from '../../domain/notifications/personal/judge.ts'
import type { NotificationRequest } from '../../domain/notifications/request/request.ts'
import { parsePerson } from '../../domain/personalization/request/person.ts'
import { invalid } from '../../platform/errors.ts'
import { presentPersonal } from '../../present/api/previews.ts'
import type { Program } from '../../program.ts'
import { coverageInWords } from '../output/coverage-words.ts'
import { type Output, printable } from '../output/output.ts'
import { showRequests } from './show-requests.ts'

const DAY_MS = 86_400_000
/** An id as long as a real one may get. */
const LONG_ID = 1_000_000

const NO_TEMPLATE =
  'names a push template, which needs the database: name a person (--user) or a sample (--sample), or use appsvc push-templates preview'

type Asked = Parameters<typeof parsePerson>[0]

/** The requests to print, and everything that is said about people. */
interface Found {
  gateways: { platform: Platform; request: PushPreview }[]
  personal: PersonalPreview
}

/**
 * The requests for a push, in the language of `language` if it has a variant for it. Template texts stay as they are written, but
 * are checked as far as that needs no database. Throws `invalid`.
 */
export async function previewOf(request: NotificationRequest, language: string | undefined): Promise<Found> {
  const asked = parsePerson({ language })
  const { content, contentPath, userMeta, unfinished } = request
  if (unfinished) throw invalid({ [unfinished.path]: [NO_TEMPLATE] })
  const wrong = await judgePersonalContent(async () => undefined, 0, content, contentPath)
  if (Object.keys(wrong).length > 0) throw invalid(wrong)
  const message = {
    content: { ...inLanguage(content, asked?.language).text, notificationId: LONG_ID },
    expiresAt: Date.now() + DAY_MS,
    replacementKey: `n${LONG_ID}`,
  }
  const gateways = platforms.map((platform) => ({ platform, request: findGateway(platform).preview(message) }))
  return { gateways, personal: personalPartsOf({ content, userMeta }, {}) }
}

/**
 * The requests for a push as a person gets it, and what a sample of its audience would get. Throws `invalid` as a send does, and
 * `not_found` when there is no such person.
 */
export async function previewForPeople(
  program: Program,
  appId: number,
  request: NotificationRequest,
  asked: Asked,
  sample: number | undefined,
): Promise<Found> {
  const person = parsePerson(asked)
  const { userMeta } = request
  const judged = await program.sends.judge(appId, request)
  const draft = { content: judged.content, userMeta, expiresAt: judged.expiresAt }
  const rendered = await program.drafts.render(appId, draft, person ?? {})
  const coverage =
    sample === undefined ? undefined : (await program.drafts.measure(appId, draft, judged.target, sample)).coverage
  return {
    gateways: rendered.gateways,
    personal: personalPartsOf(draft, { rendered: person && rendered, coverage }),
  }
}

/** Prints a preview. Returns false when a request that is printed is too large, or the person gets nothing. */
export function printPreview(
  { gateways, personal }: Found,
  { out, platform }: { out: Output; platform: Platform | undefined },
): boolean {
  const { rendered, coverage, warnings = [] } = personal
  const shown = gateways.filter((one) => platform === undefined || one.platform === platform)
  const requests = shown.map(({ platform: name, request: one }) => ({ platform: name, ...one }))
  out.value({ gateways: requests, ...presentPersonal(personal) })
  for (const warning of warnings) out.note(`warning: ${printable(warning)}`)
  if (rendered) for (const line of personInWords(rendered)) out.line(line)
  const isTooLarge = showRequests(out, requests)
  if (coverage) {
    if (requests.length > 0) out.line()
    for (const line of coverageInWords(coverage)) out.line(line)
  }
  return rendered?.leftOut == null && !isTooLarge
}

/** The person, the language, and what stands in the place of missing values. */
function personInWords({ userId, installId, language, leftOut, missing, defaults }: RenderedPush): string[] {
  const who = printable(installId ?? userId ?? '')
  const inWhich =
    language === null ? '' : ` in the language ${language}`.replace('the language default', 'the default language')
  if (leftOut === 'too_large') return [`${who} gets nothing: a text is too long for any push`]
  if (leftOut === 'missing_value') return [`${who} gets nothing: no value for ${printable(missing.join(', '))}`]
  const heading = who === '' ? (inWhich === '' ? [] : [`what people get${inWhich}`]) : [`what ${who} gets${inWhich}`]
  return [
    ...heading,
    ...missing.map((one) => `  no value for ${printable(one)}: nothing stands there`),
    ...defaults.map(({ expression, text }) => `  ${printable(expression)} says ${JSON.stringify(printable(text))}`),
  ]
}
