import { Html, hashSource, html } from '../../platform/text/html.ts'
import { read, rendererFiles } from './files.ts'

export interface PreviewOptions {
  /** Title of the window. */
  title?: string | undefined
}

/** Styles around the message: a phone, and on a small screen nothing, because that is a phone itself. */
const FRAME = `
:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif;color:#3b414d;background:#e6e9ef}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:flex;flex-wrap:wrap;align-items:center;justify-content:center;gap:24px 56px;padding:24px}
#phone{--framed:1;--wide:414;--high:868;position:relative;flex:none;width:calc(var(--wide)*1px);height:calc(var(--high)*1px);zoom:var(--fit,1);padding:12px;border-radius:60px;background:#0b0c10;box-shadow:0 24px 60px -20px rgb(20 24 60/.55),inset 0 0 0 2px #3c404a}
#phone.android{--wide:428;--high:942;border-radius:44px}
#phone.small{--wide:376;--high:683;border-radius:26px;padding:8px 8px 35px}
#phone.tablet{--wide:848;--high:1208;border-radius:40px;padding:14px}
iframe{display:block;width:100%;height:100%;border:0;border-radius:48px;background:linear-gradient(light-dark(#d5d9e2,#2b303b) 0 0) 0 96px/100% 1px no-repeat,repeating-linear-gradient(light-dark(#dfe3ea,#20242d) 0 12px,transparent 12px 34px) 24px 130px/calc(100% - 48px) 300px no-repeat,light-dark(#f4f5f8,#15181e)}
.android iframe{border-radius:34px}.small iframe{border-radius:12px}.tablet iframe{border-radius:28px}
#phone::after{content:"";position:absolute;top:25px;left:calc(50% - 58px);width:116px;height:33px;border-radius:17px;background:#0b0c10;pointer-events:none}
#phone.android::after{top:24px;left:calc(50% - 10px);width:20px;height:20px}
#phone.small::after,#phone.tablet::after{display:none}
aside{width:300px;display:grid;gap:14px}
h1{margin:0;font-size:19px;overflow-wrap:anywhere}
label{display:flex;justify-content:space-between;align-items:center;gap:12px}
select,#again{min-height:40px;padding:0 12px;border:1px solid #b9bfcb;border-radius:10px;background:#fff;color:#20242d;font:inherit}
#again{border:0;background:#3b414d;color:#fff;cursor:pointer}
pre{min-height:3em;margin:0;white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.5 ui-monospace,monospace}
@media (max-width:599px){
#phone,#phone.android,#phone.small,#phone.tablet{--framed:0;position:fixed;inset:0;width:auto;height:auto;zoom:1;padding:0;border-radius:0;box-shadow:none}
iframe{border-radius:0!important}
#phone::after{display:none}
.closed #phone{visibility:hidden}
aside label{display:none}
}
@media (prefers-color-scheme:dark){:root{color:#c3c8d2;background:#101217}select{background:#1c2029;color:#e6e9ef;border-color:#3c424e}#again{background:#c3c8d2;color:#101217}}
`

/**
 * A self-contained page that shows a rendered document in the frame of a phone, with the script and style of devices.
 * Actions of its buttons are printed beside the phone. The document is embedded as data and cannot become markup or
 * script.
 */
export function previewPage(content: unknown, { title = 'Preview' }: PreviewOptions = {}): string {
  const { script, style } = rendererFiles()
  const player = read('preview.js')
  const styles = [style.text, FRAME]
  // The page in the frame has no address, so this policy is its policy too.
  const policy = [
    "default-src 'none'",
    `script-src ${[player, script.text].map(hashSource).join(' ')}`,
    `style-src ${styles.map(hashSource).join(' ')}`,
    'img-src https: http: data:',
    'media-src https: http:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const inner = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Message</title><style>${new Html(style.text)}</style><script>${new Html(script.text)}</script></head><body></body></html>`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(FRAME)}</style>
</head>
<body>
<main id="phone" class="iphone"><iframe id="view" title="The message" sandbox="allow-scripts" srcdoc="${inner.text}"></iframe></main>
<aside>
<h1>${title}</h1>
<label>Device <select id="device"><option value="iphone">iPhone</option><option value="android">Android</option><option value="small">Small phone</option><option value="tablet">Tablet</option></select></label>
<label>Appearance <select id="look"><option value="light dark">As this browser</option><option value="light">Light</option><option value="dark">Dark</option></select></label>
<button type="button" id="again">Show the message again</button>
<pre id="said" role="status"></pre>
</aside>
<script type="application/json" id="content">${new Html(dataOf(content))}</script>
<script>${new Html(player)}</script>
</body>
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
