/** HTML that is safe to send: made by `html`, which escapes what is put into it, or here from text of our own, taken as it is. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

/** What `html` takes between its pieces. False, null and undefined are nothing; lists are put one after the other. */
export type HtmlValue = Html | string | number | false | null | undefined | readonly HtmlValue[]

/** A template whose values are escaped, for text and for attributes in double quotes: html`<b title="${name}">${name}</b>`. */
export function html(pieces: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(pieces.map((piece, i) => (i === 0 ? piece : textOf(values[i - 1]) + piece)).join(''))
}

function textOf(value: HtmlValue): string {
  if (value instanceof Html) return value.text
  if (typeof value === 'object' && value !== null) return value.map((one) => textOf(one)).join('')
  return value === false || value === undefined || value === null ? '' : escapeHtml(String(value))
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text for HTML: as content, and as an attribute in quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!)
}
