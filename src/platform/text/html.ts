import { createHash } from 'node:crypto'

/**
 * HTML that is safe to send: made by `html`, which escapes values, or constructed from our own text, which is not
 * escaped.
 */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

/** A value in a template of `html`. False, null and undefined become nothing; the items of a list are concatenated. */
export type HtmlValue = Html | string | number | false | null | undefined | readonly HtmlValue[]

/**
 * A template whose values are escaped, for use in text and in quoted attributes: html`<b title="${name}">${name}</b>`.
 */
export function html(pieces: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(pieces.map((piece, i) => (i === 0 ? piece : textOf(values[i - 1]) + piece)).join(''))
}

function textOf(value: HtmlValue): string {
  if (value instanceof Html) return value.text
  if (typeof value === 'object' && value !== null) return value.map((one) => textOf(one)).join('')
  return value === false || value === undefined || value === null ? '' : escapeHtml(String(value))
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for HTML content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!)
}

/** The hash source with which a Content-Security-Policy allows exactly this inline style or script (CSP Level 3, 2.3.1). */
export function hashSource(inline: string): string {
  return `'sha256-${createHash('sha256').update(inline).digest('base64')}'`
}
