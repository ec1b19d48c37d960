import { TOKENS } from '../../present/brand/tokens.ts'

/** The page's one style sheet. Fonts are the system's; light and dark follow the reader's setting. */
export const STYLE = `
${TOKENS}* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.55 var(--font); }
aside { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1rem; padding: 0.6rem 1.25rem;
  background: var(--paper); border-bottom: 1px solid var(--line); }
.page { max-width: 62rem; padding: 2rem 1.25rem 5rem; }
.brand { display: flex; gap: 0.45rem; align-items: center; color: inherit; }
.brand svg { display: block; height: 1.75rem; }
.brand svg + svg { height: 1.3rem; margin-top: 0.25rem; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
code, pre { font: 0.92em/1.4 var(--mono); }
a { color: var(--accent); }
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
nav { display: flex; gap: 0.15rem; min-width: 0; overflow-x: auto; scrollbar-width: none; }
nav a { flex: none; padding: 0.25rem 0.6rem; border-radius: var(--radius-s); color: var(--ink); text-decoration: none; }
nav a:focus-visible { outline-offset: -2px; }
#search { flex: 1 1 9rem; min-width: 9rem; padding: 0.3rem 0.8rem; border: 1px solid var(--line-strong); border-radius: var(--radius);
  background: var(--card); color: var(--ink); font: inherit; }
#found:empty { display: none; }
[hidden] { display: none !important; }
details pre { padding: 0.6rem 0.8rem; border: 1px solid var(--line); border-radius: 0.4rem; background: var(--paper); }
.copy { float: right; margin-top: -1.9rem; padding: 0.15rem 0.6rem; border: 1px solid var(--line); border-radius: 0.3rem;
  background: var(--card); color: var(--accent); font: inherit; font-size: 0.8rem; cursor: pointer; position: relative; }
nav a:hover { background: var(--hover); }
section, details { scroll-margin-top: 7rem; }
details { margin: 0.5rem 0; background: var(--card); border: 1px solid var(--line); border-radius: 0.5rem; padding: 0 0.9rem; }
details[open] { padding-bottom: 1rem; }
details:target { border-color: var(--accent); }
summary { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.2rem 0.7rem; padding: 0.6rem 0; cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: 0.3rem; }
.method { min-width: 4.2rem; font-size: 0.78rem; letter-spacing: 0.05em; text-transform: uppercase; }
.get { color: var(--good); }
.post { color: var(--info); }
.put { color: var(--warn); }
.delete { color: var(--bad); }
.path { font-weight: 600; overflow-wrap: anywhere; }
.path i { color: var(--quiet); font-style: normal; }
.what { flex: 1 1 18rem; color: var(--quiet); }
.key { padding: 0.05rem 0.5rem; border: 1px solid var(--line); border-radius: 0.3rem; font-size: 0.78rem; white-space: nowrap; }
.deviceKey, .old { color: var(--warn); }
table { width: 100%; border-collapse: collapse; }
td { padding: 0.3rem 0.8rem 0.3rem 0; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
tr:first-child td { border-top: 0; }
td:first-child { width: 34%; }
td:nth-child(2):not(:last-child) { width: 22%; }
td:first-child:has(.status) { width: 5rem; }
td:first-child:has(.status) ~ td:nth-child(2) { width: auto; }
td:first-child:has(.status) ~ td:last-child { width: 22%; }
.required { margin-left: 0.4rem; font-size: 0.75rem; font-weight: 600; color: var(--bad); }
.status { font-variant-numeric: tabular-nums; }
.s2 { color: var(--good); }
.s4, .s5 { color: var(--bad); }
.languages { display: flex; flex-wrap: wrap; gap: 0.25rem; margin: 0 4rem 0.4rem 0; }
.languages button { padding: 0.1rem 0.6rem; border: 1px solid transparent; border-radius: var(--radius-s); background: none; color: var(--quiet);
  font: inherit; font-size: 0.85rem; cursor: pointer; }
.languages button[aria-pressed="true"] { border-color: var(--line); background: var(--paper); color: var(--ink); font-weight: 600; }
.try { background: none; }
.try form { display: grid; gap: 0.6rem; padding-bottom: 0.8rem; }
.try label { display: grid; gap: 0.2rem; font-size: 0.85rem; color: var(--quiet); }
.try :is(input, textarea) { width: 100%; padding: 0.4rem 0.6rem; border: 1px solid var(--line-strong); border-radius: var(--radius-s);
  background: var(--paper); color: var(--ink); font: 0.9rem/1.4 var(--mono); }
.try form button { justify-self: start; padding: 0.4rem 1rem; border: 0; border-radius: var(--radius); background: var(--accent);
  color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; }
.try form button:disabled { opacity: 0.6; }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 15rem minmax(0, 1fr); }
  aside { flex-flow: column; align-items: stretch; height: 100vh; padding: 1.5rem 1rem; overflow-y: auto; border: 0;
    border-right: 1px solid var(--line); background: var(--card); }
  .brand { padding: 0 0.6rem 0.6rem; }
  nav { flex-direction: column; }
  nav a { display: flex; justify-content: space-between; }
  #search { flex: none; }
  section, details { scroll-margin-top: 1rem; }
}
@media (max-width: 40rem) {
  .keys { grid-template-columns: minmax(0, 1fr); }
  .keys dd { margin-bottom: 0.5rem; }
  nav { flex-basis: 100%; }
  #search { min-height: 2.5rem; }
  tr > td:is(td, :first-child:has(.status), :has(.status) ~ td) { display: block; width: auto; border-top: 0; padding: 0.1rem 0; }
  tr { display: block; padding: 0.4rem 0; border-top: 1px solid var(--line); }
}
@media print { aside { display: none; } }
`
