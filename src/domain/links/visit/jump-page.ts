import { Html, html } from '../../../platform/text/html.ts'
import type { LinkContent } from '../types.ts'
import { variablesFor } from './app-color.ts'
import { appStoreId, type Destination, type Store } from './destination.ts'
import { SCRIPT } from './jump-page-script.ts'
import { STYLE } from './jump-page-style.ts'
import { type Words, wordsFor } from './jump-page-words.ts'

/** The content of a page. */
export interface PageInput {
  appName: string
  content: LinkContent
  /** The link as visited, including the query. It is copied to the clipboard. */
  linkUrl: string
  offersClipboard: boolean
  /** Address of the icon of the app, relative to the page; undefined when it has none. */
  icon?: string | undefined
  /** Absolute address of the picture that chats show; null: they show the icon. */
  pictureUrl: string | null
  /** Colour of the app as `#rrggbb`; null when it has none. */
  color: string | null
  acceptLanguage?: string | undefined
  /** A random nonce for this response. Only style and script with it are allowed. */
  nonce: string
}

/** The card that chats show of a link, from the Open Graph data of its page. */
export interface Card {
  title: string
  description: string | undefined
  siteName: string
  url: string
  /** An absolute address, or a data URL. */
  image: string | undefined
  /** The image is a picture of the link and is shown large. */
  isLarge: boolean
}

/**
 * The Content-Security-Policy of a page: only the style and the script of this response, the icon of the app, no other
 * resources, and no framing, but by `framedBy`.
 */
export function pagePolicy(nonce: string, framedBy: "'none'" | "'self'" = "'none'"): string {
  return (
    `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; img-src 'self' data:; ` +
    `base-uri 'none'; form-action 'none'; frame-ancestors ${framedBy}`
  )
}

/** The page for a phone without the app, with buttons to the store and to the mobile page. Pure. */
export function renderJumpPage(input: PageInput, destination: Extract<Destination, { kind: 'jump' }>): string {
  const words = wordsFor(input.acceptLanguage)
  const { desktopUrl } = destination
  return page(input, words, {
    ...(desktopUrl !== undefined && { check: { desktopUrl } }),
    head: headOf(input, destination.store),
    body: buttonsOf(input, words, destination, 'do'),
  })
}

/**
 * The page for a computer: a QR code of the link, `code` as SVG, for the phone beside it. A computer that may be a tablet has the
 * buttons for one too, which the script shows in its place. Pure.
 */
export function renderCodePage(
  input: PageInput,
  destination: Extract<Destination, { kind: 'code' }>,
  code: string,
): string {
  const { desktopUrl, tablet } = destination
  const words = wordsFor(input.acceptLanguage)
  return page(input, words, {
    ...(tablet && { check: { hasCode: true } }),
    head: tablet ? headOf(input, tablet.store) : html``,
    body: html`<div class="code">
${new Html(code)}
<p class="about" dir="auto">${words.scan.replace('{app}', () => input.appName)}</p>
<div class="do"><a class="web" href="${desktopUrl}" rel="noreferrer">${words.web}</a></div>
</div>
${tablet && buttonsOf(input, words, tablet, 'do touch')}`,
  })
}

/** The script of the buttons, and the bar of Safari. */
function headOf({ linkUrl, nonce }: PageInput, store: Store): Html {
  const app = store.kind === 'appStore' ? appStoreId(store.url) : undefined
  return html`${
    // Safari shows a bar with an "Open" button when the app is installed. A link that was typed by hand does not open
    // the app by itself.
    app &&
    html`<meta name="apple-itunes-app" content="app-id=${app}, app-argument=${linkUrl.replaceAll(',', '%2C')}">\n`
  }<script nonce="${nonce}">${new Html(SCRIPT)}</script>
`
}

/** The ways to the store and to the mobile page. */
function buttonsOf(
  { offersClipboard, linkUrl }: PageInput,
  words: Words,
  { store, webUrl }: { store: Store; webUrl: string },
  className: string,
): Html {
  return html`<div class="${className}">
<a class="main"${offersClipboard && html` id="store" aria-describedby="why"`} href="${store.url}" rel="noreferrer">${words[store.kind]}</a>
${
  offersClipboard &&
  html`<p class="note" id="why" hidden>${words.copies}</p>
<button type="button" id="copy" data-link="${linkUrl}" hidden>${words.copy}</button>
<p class="said" id="said" role="status" data-yes="${words.copied}" data-no="${words.notCopied}"></p>
<bdi class="link" id="link" dir="ltr" hidden>${linkUrl}</bdi>
<noscript><bdi class="link" dir="ltr">${linkUrl}</bdi></noscript>
`
}<a class="web" href="${webUrl}" rel="noreferrer">${words.web}</a>
</div>`
}

/** The page for previewers: title and description for a chat, and a link to the fallback. Pure. */
export function renderPreview(input: PageInput, { url }: Extract<Destination, { kind: 'preview' }>): string {
  const words = wordsFor(input.acceptLanguage)
  return page(input, words, { body: html`<div class="do"><a class="web" href="${url}">${words.web}</a></div>` })
}

/** The page for an unknown link. Pure. */
export function renderNotFound({ nonce, acceptLanguage }: Pick<PageInput, 'nonce' | 'acceptLanguage'>): string {
  const words = wordsFor(acceptLanguage)
  return frame(words, nonce, {
    title: words.notFound,
    head: html`<meta name="robots" content="noindex">\n`,
    body: html`<h1>${words.notFound}</h1>
<p class="about">${words.notFoundWhy}</p>`,
  }).text
}

/** The Open Graph data of a page. */
export function cardOf({
  appName,
  content,
  linkUrl,
  icon,
  pictureUrl,
  acceptLanguage,
}: Omit<PageInput, 'nonce' | 'color'>): Card {
  return {
    title: content.title ?? wordsFor(acceptLanguage).openIn.replace('{app}', () => appName),
    description: content.description,
    siteName: appName,
    url: linkUrl,
    // Whoever shows the link elsewhere needs the whole address.
    image: pictureUrl ?? (icon && new URL(icon, linkUrl).href),
    isLarge: pictureUrl !== null,
  }
}

interface Parts {
  /** For a computer that may be a tablet: the page that the script goes on to, or a QR code, which it hides. */
  check?: { desktopUrl?: string; hasCode?: boolean }
  color?: string | null
  icon?: string | undefined
  head?: Html
  body: Html
}

function page(input: PageInput, words: Words, { head, body, ...parts }: Parts): string {
  const { appName, content, nonce, icon, color } = input
  const { title, description, siteName, url, image, isLarge } = cardOf(input)
  return frame(words, nonce, {
    title,
    ...parts,
    color,
    head: html`<meta name="robots" content="noindex">
${description !== undefined && html`<meta name="description" content="${description}">\n`}${openGraph({
  type: 'website',
  url,
  site_name: siteName,
  title,
  description,
  image,
})}<meta name="twitter:card" content="${isLarge ? 'summary_large_image' : 'summary'}">
<meta name="twitter:title" content="${title}">
${description !== undefined && html`<meta name="twitter:description" content="${description}">\n`}${head}`,
    icon,
    body: html`${icon ? html`<img class="mark" src="${icon}" alt="">` : html`<div class="mark" aria-hidden="true">${firstLetter(appName)}</div>`}
${content.title !== undefined && html`<p class="from" dir="auto">${appName}</p>\n`}<h1 dir="auto">${title}</h1>
${description !== undefined && html`<p class="about" dir="auto">${description}</p>\n`}${body}`,
  }).text
}

/** https://ogp.me */
function openGraph(tags: Record<string, string | undefined>): Html[] {
  return Object.entries(tags).flatMap(([name, value]) =>
    value === undefined ? [] : [html`<meta property="og:${name}" content="${value}">\n`],
  )
}

function frame(
  words: Words,
  nonce: string,
  { title, check = {}, color, icon, head, body }: Parts & { title: string },
): Html {
  const { desktopUrl, hasCode } = check
  const style = color ? STYLE + variablesFor(color) : STYLE
  return html`<!doctype html>
<html lang="${words.lang}" dir="${words.dir}"${desktopUrl !== undefined && html` class="check" data-desktop="${desktopUrl}"`}${hasCode && html` data-code`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>${title}</title>
<link rel="icon" href="${icon ?? 'data:,'}">
${desktopUrl !== undefined && html`<noscript><meta http-equiv="refresh" content="0;url=${desktopUrl}"></noscript>\n`}${head}<style nonce="${nonce}">${new Html(style)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`
}

const graphemes = new Intl.Segmenter()

/** The initial of the app, in place of an icon. */
function firstLetter(name: string): string {
  const [first] = graphemes.segment(name.trim())
  return first ? first.segment.toUpperCase() : '·'
}
