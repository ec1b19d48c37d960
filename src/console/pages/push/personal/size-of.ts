/** A push that is written, as far as its size in one language depends on it. */
interface Saying {
  content: {
    title?: string | null
    message?: string | null
    languages?: Readonly<
      Record<string, { title: string; message: string; url?: string | null; data?: object | null }>
    > | null
  }
}

/**
 * The body with which the server sizes a push in one language, as text; empty while there is nothing to size. What the language says
 * itself stands in the place of the default, so that nobody asks again for each language when only a default text changes.
 */
export function bodyIn({ content, ...rest }: Saying, tag: string): string {
  const variant = content.languages?.[tag]
  if (!content.title?.trim() || !content.message?.trim() || !variant) return ''
  const { title, message, url, data } = variant
  const own = { title, message, ...(url !== undefined && { url }), ...(data !== undefined && { data }) }
  // Its own come first in either case, so that equal bodies are equal texts.
  return JSON.stringify({ ...rest, content: { ...own, ...content, ...own, languages: { [tag]: variant } } })
}
