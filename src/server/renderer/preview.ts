import { createHash } from 'node:crypto'
import { Html, html } from '../../platform/html.ts'
import { read, rendererFiles } from './files.ts'

export interface PreviewOptions {
  /** Title of the window. */
  title?: string | undefined
}

/** Styles of the backdrop, which shows how much of an app the message covers. */
const BACKDROP = `
html{background:#dfe3ea}
body{display:flex;flex-direction:column;align-items:center;justify-content:center;padding:24px;font:16px/1.5 system-ui,sans-serif;color:#3b414d;text-align:center}
pre{max-width:100%;margin:16px 0 0;white-space:pre-wrap;overflow-wrap:anywhere;font:14px/1.5 ui-monospace,monospace}
#again{min-height:44px;padding:0 20px;border:0;border-radius:12px;background:#3b414d;color:#fff;font:inherit}
@media (prefers-color-scheme:dark){html{background:#101217}body{color:#c3c8d2}#again{background:#c3c8d2;color:#101217}}
`

/**
 * A self-contained page that shows a rendered document as devices do, with the same script and style. Actions of its
 * buttons are printed behind the message. The document is embedded as data and cannot become markup or script.
 */
export function previewPage(content: unknown, { title = 'Preview' }: PreviewOptions = {}): string {
  const { script, style } = rendererFiles()
  const scripts = [read('preview.js'), script.text]
  const styles = `${style.text}${BACKDROP}`
  const policy = [
    "default-src 'none'",
    `script-src ${scripts.map(hashSource).join(' ')}`,
    `style-src ${hashSource(styles)}`,
    'img-src https: http: data:',
    'media-src https: http:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(styles)}</style>
</head>
<body>
<button type="button" id="again">Show the message again</button>
<pre id="said" role="status"></pre>
<script type="application/json" id="content">${new Html(dataOf(content))}</script>
${scripts.map((text) => html`<script>${new Html(text)}</script>\n`)}</body>
</html>
`.toString()
}

/** JSON that cannot close the script element around it. */
function dataOf(content: unknown): string {
  return JSON.stringify(content ?? null).replace(
    /[<\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
