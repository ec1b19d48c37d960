/** The page's one style sheet. Fonts are the system's; light and dark follow the reader's setting. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#ffffff, #14171c);
  --card: light-dark(#f6f7f9, #1b1f26);
  --line: light-dark(#dfe3e8, #2d333d);
  --ink: light-dark(#1b2129, #e4e8ee);
  --quiet: light-dark(#5a6573, #98a3b1);
  --link: light-dark(#0b5cad, #7ab8ff);
  --green: light-dark(#17703a, #6fd08c);
  --blue: light-dark(#0b5cad, #7ab8ff);
  --amber: light-dark(#8a5a00, #e8b65a);
  --red: light-dark(#b3261e, #ff8a80);
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
body { margin: 0 auto; max-width: 68rem; padding: 2rem 1.25rem 5rem; background: var(--paper); color: var(--ink);
  font: 15px/1.55 system-ui, sans-serif; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
code, pre { font: 0.92em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
a { color: var(--link); }
h1 { margin: 0; font-size: 1.75rem; }
h1 small, h2 small, nav small { font-weight: 400; color: var(--quiet); }
h1 small { font-size: 1rem; }
h2 { margin: 2.5rem 0 0.75rem; font-size: 1.25rem; }
h2 small { margin-left: 0.4rem; font-size: 0.95rem; }
h3 { margin: 1.1rem 0 0.3rem; font-size: 0.8rem; text-transform: uppercase; letter-spacing: 0.06em; color: var(--quiet); }
p { margin: 0.5rem 0; max-width: 56rem; }
.quiet { color: var(--quiet); }
.keys { display: grid; grid-template-columns: max-content 1fr; gap: 0.4rem 0.8rem; margin: 1.2rem 0; align-items: baseline; }
.keys dd { margin: 0; color: var(--quiet); }
nav { position: sticky; top: 0; display: flex; flex-wrap: wrap; gap: 0.5rem; padding: 0.7rem 0; background: var(--paper);
  border-bottom: 1px solid var(--line); z-index: 1; }
header { display: contents; }
nav div { display: flex; gap: 0.35rem; min-width: 0; overflow-x: auto; scrollbar-width: none; }
nav a { flex: none; padding: 0.2rem 0.55rem; border: 1px solid var(--line); border-radius: 1rem; font-size: 0.9rem; text-decoration: none; }
nav a:focus-visible { outline-offset: -2px; }
#search { flex: 1 1 12rem; min-width: 9rem; max-width: 22rem; margin-left: auto; padding: 0.25rem 0.8rem; border: 1px solid var(--line);
  border-radius: 1rem; background: var(--card); color: var(--ink); font: inherit; }
#found { align-self: center; }
#found:empty { display: none; }
[hidden] { display: none !important; }
details pre { padding: 0.6rem 0.8rem; border: 1px solid var(--line); border-radius: 0.4rem; background: var(--paper); }
.copy { float: right; margin-top: -1.9rem; padding: 0.15rem 0.6rem; border: 1px solid var(--line); border-radius: 0.3rem;
  background: var(--card); color: var(--link); font: inherit; font-size: 0.8rem; cursor: pointer; position: relative; }
nav a:hover { background: var(--card); }
section, details { scroll-margin-top: 4.5rem; }
details { margin: 0.5rem 0; background: var(--card); border: 1px solid var(--line); border-radius: 0.5rem; padding: 0 0.9rem; }
details[open] { padding-bottom: 1rem; }
details:target { border-color: var(--link); }
summary { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.2rem 0.7rem; padding: 0.6rem 0; cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary:focus-visible { outline: 2px solid var(--link); outline-offset: 3px; border-radius: 0.3rem; }
.method { min-width: 4.2rem; font-size: 0.78rem; letter-spacing: 0.05em; text-transform: uppercase; }
.get { color: var(--green); }
.post { color: var(--blue); }
.put { color: var(--amber); }
.delete { color: var(--red); }
.path { font-weight: 600; overflow-wrap: anywhere; }
.path i { color: var(--quiet); font-style: normal; }
.what { flex: 1 1 18rem; color: var(--quiet); }
.key { padding: 0.05rem 0.5rem; border: 1px solid var(--line); border-radius: 0.3rem; font-size: 0.78rem; white-space: nowrap; }
.deviceKey, .old { color: var(--amber); }
table { width: 100%; border-collapse: collapse; }
td { padding: 0.3rem 0.8rem 0.3rem 0; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
tr:first-child td { border-top: 0; }
td:first-child { width: 34%; }
td:nth-child(2):not(:last-child) { width: 22%; }
td:first-child:has(.status) { width: 5rem; }
td:first-child:has(.status) ~ td:nth-child(2) { width: auto; }
td:first-child:has(.status) ~ td:last-child { width: 22%; }
.required { margin-left: 0.4rem; font-size: 0.75rem; font-weight: 600; color: var(--red); }
.status { font-variant-numeric: tabular-nums; }
.s2 { color: var(--green); }
.s4, .s5 { color: var(--red); }
@media (max-width: 40rem) {
  .keys { grid-template-columns: minmax(0, 1fr); }
  .keys dd { margin-bottom: 0.5rem; }
  nav div { flex-basis: 100%; }
  #search { max-width: none; min-height: 2.5rem; }
  section, details { scroll-margin-top: 7.5rem; }
  tr > td:is(td, :first-child:has(.status), :has(.status) ~ td) { display: block; width: auto; border-top: 0; padding: 0.1rem 0; }
  tr { display: block; padding: 0.4rem 0; border-top: 1px solid var(--line); }
}
@media print { nav { display: none; } }
`
