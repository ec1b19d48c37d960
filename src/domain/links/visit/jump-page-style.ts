/**
 * The page's one style sheet. Fonts are the system's; light and dark, motion and contrast follow the reader's settings.
 */
export const STYLE = `
:root{color-scheme:light dark;--paper:#f2f4f8;--card:#fff;--ink:#14181f;--quiet:#535d6b;--line:#d9dee6;--main:#1753d8;--on:#fff;--text:var(--main);--edge:transparent;--halo:#dfe8ff}
@media (prefers-color-scheme:dark){:root{--paper:#0e1116;--card:#181c23;--ink:#eef1f5;--quiet:#a5afbd;--line:#333b47;--main:#8db4ff;--on:#0a1a3d;--halo:#1d2a45}}
*{box-sizing:border-box}
[hidden]{display:none!important}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;padding:max(1.25rem,env(safe-area-inset-top)) 1.25rem max(1.25rem,env(safe-area-inset-bottom));background:radial-gradient(60rem 30rem at 50% -8rem,var(--halo),transparent) var(--paper);color:var(--ink);font:1.0625rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{width:100%;max-width:26rem;padding:2.25rem 1.5rem 1.75rem;background:var(--card);border:1px solid var(--line);border-radius:1.5rem;text-align:center;box-shadow:0 1.5rem 3rem -1.5rem rgb(15 25 50/.25)}
.mark{display:grid;place-items:center;width:4.5rem;height:4.5rem;margin:0 auto 1.25rem;border-radius:1.15rem;background:var(--main);color:var(--on);font-size:2rem;font-weight:650;line-height:1}
img.mark{background:none;object-fit:cover}
.from{margin:0 0 .25rem;color:var(--quiet);font-size:.9375rem}
h1{margin:0;font-size:1.5rem;line-height:1.25;font-weight:680;letter-spacing:-.01em;text-wrap:balance}
.about{margin:.75rem 0 0;max-height:40vh;overflow-y:auto;color:var(--quiet);white-space:pre-line}
h1,.from,.about{overflow-wrap:anywhere}
.do{display:grid;gap:.75rem;margin-top:1.75rem}
.do>a,.do>button{display:block;width:100%;min-height:3.125rem;padding:.75rem 1rem;border:1px solid var(--line);border-radius:.9rem;background:none;color:var(--ink);font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
.do .main{border-color:var(--edge);background:var(--main);color:var(--on)}
.do .web{border-color:transparent;color:var(--text)}
.do>:is(a,button):hover{text-decoration:underline}
.do>:is(a,button):active{opacity:.8}
:focus-visible{outline:3px solid var(--text);outline-offset:3px}
.note,.said{margin:0;color:var(--quiet);font-size:.875rem}
.note{margin:-.15rem 0 .35rem}
.said{color:var(--ink);font-weight:600}
.said:empty{display:none}
.link{display:block;padding:.6rem;border:1px dashed var(--line);border-radius:.6rem;font:.875rem/1.4 ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere;-webkit-user-select:all;user-select:all}
.code svg{display:block;width:min(15rem,100%);height:auto;margin:1.5rem auto 0;border-radius:.75rem}
.code p{margin:.75rem 0 0}
.code .do{margin-top:1rem}
.touch{display:none}
.is-touch .touch{display:grid}
.is-touch .code{display:none}
.check body{visibility:hidden}
@media (prefers-reduced-motion:no-preference){main{animation:in .35s ease-out}@keyframes in{from{opacity:0;transform:translateY(.5rem)}}}
@media (prefers-contrast:more){:root{--quiet:var(--ink);--line:currentcolor}}
@media (forced-colors:active){.mark,.do>a,.do>button{border:1px solid}}
`
