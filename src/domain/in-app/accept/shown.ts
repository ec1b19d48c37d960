import { type FieldErrors, isAppError } from '../../../platform/errors.ts'
import type { JudgeLookUp } from '../../personalization/people/judge-look-ups.ts'
import { renderTemplate, type TemplatesService } from '../../templates/service.ts'
import type { Tag, WholeTemplate } from '../../templates/types.ts'
import type { PreparedPush } from '../fan-out/linked-push.ts'
import { judgeMessage, unusedTemplates } from '../personal/judge.ts'
import { misplacedTag } from '../request/personal.ts'
import type { InAppRequest } from '../request/request.ts'
import type { InAppMessage, PersonalContent } from '../types.ts'

/** The content of a message before it is stored. */
export type Shown = Pick<InAppMessage, 'content' | 'tagValues' | 'data' | 'inbox' | 'personal'> & { version: number }

/** Tells whether users may get different texts. */
export const isPersonal = (shown: Shown): shown is Shown & PersonalContent => shown.personal !== null

export interface ShownParts {
  templates: Pick<TemplatesService, 'get'>
  /** Judges a look-up against the data tables of an app. */
  judgeLookUp: JudgeLookUp
}

/** A version of a template. */
type SomeTemplate = Pick<WholeTemplate, 'version' | 'content' | 'tags'>

/** Makes the functions that find what a message shows. Both add what is wrong to `wrong`, by path. */
export function createShownOf({ judgeLookUp }: Pick<ShownParts, 'judgeLookUp'>) {
  /** Judges what a message says that differs between users. */
  async function judge(appId: number, shown: PersonalContent, wrong: FieldErrors): Promise<void> {
    Object.assign(wrong, { ...(await judgeMessage(judgeLookUp, appId, shown)), ...wrong })
  }

  return {
    judge,

    /**
     * The rendered document of a template or, where it differs between users, the document with its tags. When something is wrong, the
     * result may be undefined.
     */
    async shownOf(
      appId: number,
      template: SomeTemplate,
      request: InAppRequest,
      wrong: FieldErrors,
    ): Promise<Shown | undefined> {
      const { content, personal, data = null, inbox = null } = request
      const tagValues = content ?? {}
      if (content === undefined && template.tags.length > 0) {
        wrong.content = ['is required: the template has dynamic tags']
      }
      const texts = { tagValues, data, inbox }
      if (personal) {
        const { version, content: document, tags } = template
        const shown = { ...texts, version, content: document, personal: { ...personal, tags } }
        await judge(appId, shown, wrong)
        sayWhereKeysBelong(wrong, tags)
        return shown
      }
      const rendered = await gather(wrong, () => renderTemplate(template, tagValues))
      sayWhereKeysBelong(wrong, template.tags)
      return rendered && { ...texts, version: rendered.version, content: rendered.content, personal: null }
    },
  }
}

/** Makes the function that finds what a new message shows, as `shownOf` does. It throws `not_found` for an unknown template. */
export function createShown(parts: ShownParts) {
  const { shownOf } = createShownOf(parts)
  return async (appId: number, request: InAppRequest, wrong: FieldErrors): Promise<Shown | undefined> =>
    shownOf(appId, await parts.templates.get(appId, request.template), request, wrong)
}

/** Explains errors about values whose title is the name of a field that belongs at the top of the request. */
function sayWhereKeysBelong(wrong: FieldErrors, tags: readonly Tag[]): void {
  for (const path of Object.keys(wrong)) {
    const title = path.startsWith('content.') ? path.slice('content.'.length) : ''
    const why = tags.some((tag) => tag.title === title) ? undefined : misplacedTag(title)
    if (why !== undefined) wrong[path] = [why]
  }
}

/**
 * Runs `work`; adds the fields it finds invalid to `wrong`, so that one response names them all. Throws other errors.
 */
export async function gather<T>(wrong: FieldErrors, work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!isAppError(error) || !error.details.fields) throw error
    Object.assign(wrong, error.details.fields)
    return undefined
  }
}

/** Warns of texts that look like template texts in a message and its linked push that are not personalised. */
export const warningsOf = (shown: Shown, push: Pick<PreparedPush, 'unused'> | undefined): string[] =>
  [...unusedTemplates(shown), ...(push?.unused ?? [])].map(
    (path) => `${path} looks like a template text, but the request has no personalize: people will read the braces`,
  )
